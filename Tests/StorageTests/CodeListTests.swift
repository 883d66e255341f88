import Testing

@testable import Storage

@Suite("A list of codes")
struct CodeListTests {
    @Test(
        "is read as it was written",
        arguments: [[], [1], [3, 1, 12], [9, 10, 99, 100, 101], [1 << 53, 7], Array(1...200)]
            as [[Int64]])
    func roundTrip(codes: [Int64]) {
        var text = Array("[5]".utf8)
        CodeList.write(codes, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == (codes.isEmpty ? "" : json(codes)))
        #expect(CodeList.parse(text.span) == codes)
    }

    @Test("takes what a damaged index gives, and tells it when it is read")
    func negative() {
        var text: [UInt8] = []
        CodeList.write([3, -125, .min], to: &text)
        #expect(String(decoding: text, as: UTF8.self) == json([3, -125, .min]))
        #expect(CodeList.parse(text.span) == nil)
    }

    private func json(_ codes: [Int64]) -> String {
        "[\(codes.map(String.init).joined(separator: ","))]"
    }

    @Test(
        "has one form alone",
        arguments: [
            "[", "]", "[]", "1", "[1", "1]", "[,]", "[1,]", "[,1]", "[1,,2]", "[0]", "[01]", "[-1]",
            "[1 ]", "[1, 2]", "[1.0]", "[\"1\"]", "[99999999999999999999]", "[1]]", "[[1]",
        ])
    func refused(text: String) {
        #expect(CodeList.parse(text.utf8.span) == nil)
    }
}
