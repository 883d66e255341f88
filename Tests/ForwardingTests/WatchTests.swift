import Testing

@testable import Forwarding

@Suite("servers that were started again, and nodes of one name")
struct WatchTests {
    private static let minute: Int64 = 60_000

    /// A look, and what follows from it done.
    private func look(
        _ watch: inout AliveWatch, _ server: String, isInPlace: Bool = false, isThere: Bool,
        lastHandOver: Int64?, now: Int64
    ) -> AliveWatch.Verdict {
        let verdict = watch.verdict(
            on: server, shard: 0, isInPlace: isInPlace, isThere: isThere,
            lastHandOver: lastHandOver)
        watch.saw(server, shard: 0, now: now)
        return verdict
    }

    @Test("what was handed over in the ten minutes before a server was last found goes again")
    func again() {
        var watch = AliveWatch()
        let minute = Self.minute
        #expect(look(&watch, "a", isThere: false, lastHandOver: nil, now: 0) == .fresh)
        #expect(look(&watch, "a", isThere: true, lastHandOver: 9, now: 20 * minute) == .same)
        // It was found at 20 minutes, whatever was handed over since, and until that is done.
        for _ in 0..<3 {
            let verdict = watch.verdict(
                on: "a", shard: 0, isInPlace: false, isThere: false, lastHandOver: 21 * minute)
            #expect(verdict == .again(after: 10 * minute))
        }
        #expect(
            look(&watch, "a", isThere: false, lastHandOver: 21 * minute, now: 22 * minute)
                == .again(after: 10 * minute))
        #expect(look(&watch, "a", isThere: true, lastHandOver: 9, now: 23 * minute) == .same)
    }

    @Test(
        "a node that was started again goes by its last hand-over, and so for a server that is new to it",
        arguments: ["b", "c"])
    func restarted(server: String) {
        var watch = AliveWatch()
        #expect(
            look(&watch, server, isThere: false, lastHandOver: 1_000_000, now: 9_000_000)
                == .again(after: 400_000))
    }

    @Test("a replica that comes in another's place gets what that may have kept for itself")
    func replicas() {
        var watch = AliveWatch()
        let minute = Self.minute
        func look(
            _ server: String, _ now: Int64, isInPlace: Bool = false, isThere: Bool = true
        ) -> AliveWatch.Verdict {
            self.look(
                &watch, server, isInPlace: isInPlace, isThere: isThere,
                lastHandOver: 30 * minute, now: now)
        }
        #expect(
            look("a", 40 * minute, isInPlace: true) == .again(after: 20 * minute),
            "a process that was started")
        #expect(look("a", 41 * minute) == .same)
        #expect(look("b", 50 * minute, isInPlace: true) == .again(after: 31 * minute))
        #expect(look("b", 51 * minute) == .same)
        #expect(look("a", 60 * minute) == .same, "the other is well")
        #expect(look("a", 70 * minute, isThere: false) == .again(after: 50 * minute))
    }

    @Test("what another node wrote under the name is seen, what a command wrote is not")
    func twins() {
        var twin = NodeTwin()
        #expect(!twin.isSeen(in: 5, isRetired: false))
        twin.wrote(10)
        #expect(!twin.isSeen(in: 10, isRetired: false) && !twin.isSeen(in: 9, isRetired: false))
        #expect(twin.isSeen(in: 11, isRetired: false) && !twin.isSeen(in: 11, isRetired: true))
        twin.wrote(12)
        twin.wrote(14)
        #expect(!twin.isSeen(in: 14, isRetired: false) && twin.isSeen(in: 15, isRetired: false))
    }

    @Test("the moment that all nodes are complete to is the least of those that count")
    func complete() throws {
        func entry(_ name: String, _ completeTo: Int64?, _ isRetired: Bool = false)
            -> NodeTable.Entry
        {
            NodeTable.Entry(name: name, completeTo: completeTo, lastSeen: 1, isRetired: isRetired)
        }
        #expect(NodeTable.completeTo([]) == nil)
        #expect(NodeTable.completeTo([entry("a", 7), entry("b", 5)]) == 5)
        #expect(NodeTable.completeTo([entry("a", 7), entry("b", 5, true)]) == 7)
        #expect(NodeTable.completeTo([entry("a", 7), entry("b", nil)]) == nil)
        #expect(NodeTable.completeTo([entry("a", 7), entry("b", nil, true)]) == 7)
    }
}
