import Testing

@testable import Storage

@Suite("what waits is served line by line in turn")
struct TurnsTests {
    private func all(_ turns: Turns<String, Int>) -> [Int] {
        var turns = turns
        var taken: [Int] = []
        while let next = turns.next() { taken.append(next) }
        #expect(turns.isEmpty && turns.count == 0)
        return taken
    }

    private func isFree(_ room: Turns<String, Int>.Room) -> Bool {
        if case .free = room { true } else { false }
    }

    @Test("each line is in its own order, and none waits for the whole of another")
    func order() {
        var turns = Turns<String, Int>()
        for number in 1...5 { turns.append(number, of: "a") }
        turns.append(11, of: "b")
        turns.append(21, of: "c")
        turns.append(12, of: "b")
        #expect(turns.count == 8 && turns.count(of: "b") == 2)
        #expect(all(turns) == [1, 11, 21, 2, 12, 3, 4, 5])
    }

    @Test("who comes while others are served gets the next turn but one at most")
    func late() {
        var turns = Turns<String, Int>()
        for number in 0..<100 { turns.append(number, of: "a") }
        let before = (0..<50).compactMap { _ in turns.next() }
        #expect(before == Array(0..<50))
        turns.append(1000, of: "b")
        #expect([turns.next(), turns.next()].contains(1000))
        #expect(all(turns).filter { $0 < 1000 }.count >= 48)
    }

    @Test("who comes again whenever its line is empty keeps nobody waiting", arguments: [1, 2])
    func again(others: Int) {
        var turns = Turns<String, Int>()
        for other in 0..<others {
            for number in 1...5 { turns.append(number, of: "\(other)") }
        }
        var served = 0
        for _ in 0..<5 * (others + 1) {
            turns.append(0, of: "again")
            if let next = turns.next(), next > 0 { served += 1 }
            while turns.count(of: "again") > 1 { _ = turns.takeFirst(of: "again") }
        }
        #expect(served == 5 * others)
    }

    @Test("a line whose first is not ready is passed over, and keeps its order")
    func ready() {
        var turns = Turns<String, Int>()
        for (number, key) in [(1, "a"), (2, "a"), (11, "b")] { turns.append(number, of: key) }
        #expect(turns.look { $0 == 1 } == 1)
        #expect(turns.next { $0 != 1 } == 11)
        #expect(turns.next { $0 != 1 } == nil)
        #expect(turns.count == 2)
        #expect(turns.takeFirst(of: "a") == 1)
        #expect(turns.takeFirst(of: "b") == nil)
        #expect(turns.next { $0 != 1 } == 2)
        #expect(turns.next() == nil)
    }

    @Test("alone a line may have all the room; beside others half of it")
    func room() {
        var turns = Turns<String, Int>()
        for number in 0..<8 {
            #expect(isFree(turns.makeRoom(for: "a", limit: 8)))
            turns.append(number, of: "a")
        }
        if case .none = turns.makeRoom(for: "a", limit: 8) {} else { Issue.record("no limit") }
        // The last of the long line goes, until it has half.
        for gone in [7, 6, 5, 4] {
            guard case .insteadOf(gone) = turns.makeRoom(for: "b", limit: 8) else {
                Issue.record("\(gone) did not give way")
                return
            }
            turns.append(100 + gone, of: "b")
        }
        if case .none = turns.makeRoom(for: "b", limit: 8) {
        } else {
            Issue.record("more than half")
        }
        if case .none = turns.makeRoom(for: "c", limit: 8) {} else { Issue.record("no limit") }
        _ = turns.next()
        if case .none = turns.makeRoom(for: "b", limit: 8) {
        } else {
            Issue.record("more than half")
        }
        #expect(isFree(turns.makeRoom(for: "c", limit: 8)))
    }

    @Test("what is too much now keeps its turn")
    func tooMuch() {
        var turns = Turns<String, Int>()
        for (key, number) in [("a", 1), ("b", 20), ("c", 3)] { turns.append(number, of: key) }
        func look() -> Int? { turns.look(where: { _ in true }, unless: { $0 > 10 }) }
        #expect(look() == 1)
        #expect(look() == nil && look() == nil)
        #expect(turns.look(where: { $0 > 0 }) == 20)
        #expect(look() == 3 && look() == 1)
    }

    @Test("a long life leaves nothing behind")
    func long() {
        var turns = Turns<String, Int>()
        var taken: [Int] = []
        for number in 0..<10_000 {
            turns.append(number, of: "a")
            turns.append(-1, of: "\(number)")
            if let next = turns.next(where: { $0 >= 0 }) { taken.append(next) }
            #expect(turns.takeFirst(of: "\(number)") == -1)
        }
        #expect(taken == Array(0..<10_000))
        #expect(turns.isEmpty)
    }
}
