import Testing

@testable import Forwarding

@Suite("prunes of all nodes (docs/scale.md, Erasing, pruning, copies)")
struct PruneLimitTests {
    private static let day: Int64 = 86_400_000

    private func next(
        _ last: PruneLimit?, _ limit: Int64, ownDay: Int64 = 0
    ) -> PruneLimit {
        PruneLimit(after: last, limit: limit, at: limit + 5, node: "n", ownDay: ownDay)
    }

    @Test("the first has the number of its limit's day, or a greater one than this node knows")
    func first() {
        let limit = next(nil, 20_000 * Self.day + 7)
        #expect(limit.day == 20_000 && limit.before == 20_000 * Self.day + 7)
        #expect(limit.limit == limit.before && !limit.isDone && limit.node == "n")
        #expect(next(nil, 20_000 * Self.day, ownDay: 20_003).day == 20_004)
    }

    @Test("each has a greater number than the one before, and the greatest limit never falls")
    func order() {
        var last = next(nil, 20_000 * Self.day)
        last.isDone = true
        let sameDay = next(last, 20_000 * Self.day + 1)
        #expect(sameDay.day == 20_001 && sameDay.before == 20_000 * Self.day + 1)
        let smaller = next(last, 5)
        #expect(smaller.day == 20_001)
        #expect(smaller.before == 20_000 * Self.day && smaller.limit == 5)
        #expect(next(last, 20_009 * Self.day).day == 20_009)
    }

    @Test("one that has not come to its end leaves the rest to the next, whatever its limit")
    func unfinished() {
        let last = next(nil, 20_000 * Self.day)
        func after(_ limit: Int64, at now: Int64) -> Int64 {
            PruneLimit(after: last, limit: limit, at: now, node: "n", ownDay: 0).limit
        }
        #expect(after(5, at: last.at) == 20_000 * Self.day)
        #expect(after(20_001 * Self.day, at: last.at + Self.day) == 20_001 * Self.day)
        // A clock that ran ahead had begun it: it is in force as far as its age reaches back from now.
        #expect(after(5, at: last.at - 400 * Self.day) == 19_600 * Self.day)
    }

    @Test(
        "while one goes on, what was pruned before it still is, and it is known since when one goes on"
    )
    func finished() {
        var first = next(nil, 20_000 * Self.day)
        #expect(first.done == nil && first.since == first.at)
        let afterUnfinished = next(first, 20_001 * Self.day)
        #expect(afterUnfinished.done == nil && afterUnfinished.since == first.at)
        first.isDone = true
        let own = PruneLimit.Finished(limit: first.limit, at: first.at, day: first.day)
        #expect(first.done == own)
        let second = next(first, 20_001 * Self.day)
        #expect(second.done == own && second.since == second.at)
        let third = next(second, 20_002 * Self.day)
        #expect(third.done == own && third.since == second.at)
        #expect(PruneLimit(third.text) == third)
        let wrong = third.text.replacing(#""at":\#(first.at),"#, with: #""at":-1,"#)
        #expect(wrong != third.text && PruneLimit(wrong) == nil)
    }

    @Test("a row's body is read back, also with members of a newer program, and no other is")
    func body() throws {
        var limit = next(nil, 20_000 * Self.day)
        #expect(PruneLimit(limit.text) == limit)
        limit.isDone = true
        #expect(PruneLimit(limit.text) == limit)
        let newer = #"{"at":2,"before":1,"day":3,"done":true,"limit":1,"more":[],"node":"m"}"#
        #expect(PruneLimit(newer)?.day == 3 && PruneLimit(newer)?.age == nil)
        #expect(PruneLimit(newer.replacing("\"day\"", with: "\"age\":7,\"day\""))?.age == 7)
        #expect(PruneLimit(newer.replacing("\"day\"", with: "\"age\":\(Int64.max),\"day\"")) == nil)
        for text in ["", "{}", "[]", #"{"before":1}"#, #"{"before":"1"}"#] {
            #expect(PruneLimit(text) == nil)
        }
    }

    @Test("one node prunes for all: the first by name that was heard of within an hour")
    func firstNode() {
        func entry(_ name: String, _ lastSeen: Int64, isRetired: Bool = false) -> NodeTable.Entry {
            NodeTable.Entry(
                name: name, completeTo: nil, lastSeen: lastSeen, isRetired: isRetired)
        }
        let now: Int64 = 100_000_000
        let nodes = [
            entry("a", now - 3_600_000), entry("b", now, isRetired: true),
            entry("d", now), entry("c", now - 3_599_999),
        ]
        #expect(NodeTable.first(nodes, now: now) == "c")
        #expect(NodeTable.first(nodes, now: now + 1) == "d")
        #expect(NodeTable.first([], now: now) == nil)
    }
}
