import Testing

@testable import Service

/// Which bodies an event loop judges when. Times are counted by hand, in microseconds.
@Suite("a loop's turn")
struct LoopTurnTests {
    /// A loop: each body takes as long as it says.
    private struct Loop {
        var turn = LoopTurn<(name: String, cost: Int64)>()
        var now: Int64 = 0
        var judged: [String] = []

        mutating func come(_ name: String, of app: Int64, cost: Int64) {
            if turn.mayJudge(at: now * 1000) {
                judge((name, cost))
            } else {
                turn.append((name, cost), of: app)
            }
        }

        mutating func endTurn() -> Bool {
            guard turn.end() else { return false }
            while let body = turn.next(at: now * 1000) { judge(body) }
            return turn.end()
        }

        private mutating func judge(_ body: (name: String, cost: Int64)) {
            judged.append(body.name)
            now += body.cost
        }
    }

    @Test("what comes is judged as it comes, for two milliseconds of a turn")
    func direct() {
        var loop = Loop()
        for number in 1...5 { loop.come("\(number)", of: 1, cost: 700) }
        #expect(loop.judged == ["1", "2", "3"])
        let hasMore = loop.endTurn()
        #expect(!hasMore && loop.judged == ["1", "2", "3", "4", "5"])
        loop.come("6", of: 1, cost: 700)
        #expect(loop.judged.last == "6", "in the next turn at once again")
    }

    @Test("of an app with many bodies two milliseconds a turn are judged, then the others")
    func shares() {
        var loop = Loop()
        for number in 0..<64 { loop.come("a", of: 1, cost: number == 0 ? 2500 : 900) }
        loop.come("b1", of: 2, cost: 10)
        loop.come("b2", of: 2, cost: 10)
        #expect(loop.judged == ["a"])
        // Three of the first app's, then all of the second's and again three.
        var hasMore = loop.endTurn()
        #expect(hasMore && loop.judged.count == 4)
        loop.come("b3", of: 2, cost: 10)
        #expect(loop.judged.count == 4, "it has to wait while others do")
        hasMore = loop.endTurn()
        #expect(hasMore && Array(loop.judged[4...]) == ["b1", "b2", "b3", "a", "a", "a"])
        loop.come("b4", of: 2, cost: 10)
        hasMore = loop.endTurn()
        #expect(hasMore && Array(loop.judged[10...]) == ["a", "a", "a"])
        hasMore = loop.endTurn()
        #expect(hasMore && Array(loop.judged[13...]) == ["b4", "a", "a", "a"])
        while loop.endTurn() {}
        #expect(loop.judged.count == 64 + 4)
    }

    @Test("a turn goes on with the next app, which has the rest of its share in the next turn")
    func rests() {
        var loop = Loop()
        loop.come("first", of: 9, cost: 2000)
        for _ in 0..<2 { loop.come("a", of: 1, cost: 950) }
        for _ in 0..<40 { loop.come("b", of: 2, cost: 100) }
        for _ in 0..<40 { loop.come("c", of: 3, cost: 100) }
        var turns: [[String]] = []
        var judged = 1
        var hasMore = true
        while hasMore {
            let begun = loop.now
            hasMore = loop.endTurn()
            #expect(loop.now - begun <= 2000)
            turns.append(Array(loop.judged[judged...]))
            judged = loop.judged.count
        }
        func some(_ name: String, _ count: Int) -> [String] {
            Array(repeating: name, count: count)
        }
        #expect(
            turns == [
                some("a", 2) + some("b", 1), some("b", 19) + some("c", 1),
                some("c", 19) + some("b", 1), some("b", 19) + some("c", 1), some("c", 19),
            ])
    }

    @Test("a body that takes longer than a share is judged whole, then it is the next app's turn")
    func longBody() {
        var loop = Loop()
        for _ in 0..<3 { loop.come("a", of: 1, cost: 22_000) }
        for app in 2...4 { loop.come("\(app)", of: Int64(app), cost: 10) }
        while loop.endTurn() {}
        #expect(loop.judged == ["a", "a", "2", "3", "4", "a"])
    }
}
