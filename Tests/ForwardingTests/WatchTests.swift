import Testing

@testable import Forwarding

@Suite("servers that were started again, and nodes of one name")
struct WatchTests {
    @Test("what was handed over in the ten minutes before a server was last found goes again")
    func again() {
        var watch = AliveWatch()
        let minute: Int64 = 60_000
        #expect(watch.look(at: "a", isThere: false, lastHandOver: nil, now: 0) == .fresh)
        #expect(watch.look(at: "a", isThere: true, lastHandOver: 9, now: 20 * minute) == .same)
        // It was found at 20 minutes, whatever was handed over since.
        #expect(
            watch.look(at: "a", isThere: false, lastHandOver: 21 * minute, now: 22 * minute)
                == .again(after: 10 * minute))
        #expect(watch.look(at: "a", isThere: true, lastHandOver: 9, now: 23 * minute) == .same)
    }

    @Test(
        "a node that was started again goes by its last hand-over, and so for a server that is new to it"
    )
    func restarted() {
        var watch = AliveWatch()
        #expect(
            watch.look(at: "b", isThere: false, lastHandOver: 1_000_000, now: 9_000_000)
                == .again(after: 400_000))
        #expect(
            watch.look(at: "c", isThere: false, lastHandOver: 1_000_000, now: 9_000_000)
                == .again(after: 400_000))
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
