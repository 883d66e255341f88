import Testing

@testable import Columns

@Suite("Texts of subjects")
struct SubjectTableTests {
    @Test("have a number each, in order of appearance, also while their table grows")
    func numbers() {
        var table = SubjectTable()
        // The second time it is empty, with the memory that it had.
        for _ in 0..<2 {
            for number in 0..<1000 {
                let text = number == 7 ? "" : "\"a\(number)\""
                #expect(table.number(of: text.utf8.span) == number)
                #expect(table.number(of: "\"a0\"".utf8.span) == 0)
                #expect(table.count == number + 1)
            }
            for number in [0, 1, 7, 300, 999] {
                let text = number == 7 ? "" : "\"a\(number)\""
                #expect(table.number(of: text.utf8.span) == number)
                #expect(Array(table[number]) == Array(text.utf8))
            }
            table.removeAll()
            #expect(table.count == 0)
        }
    }
}
