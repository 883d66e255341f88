import Events
import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("the names of an app are limited (docs/protocol.md, Names)")
struct NameTests {
    let folder = TemporaryFolder()

    private func open(_ maxNames: Int, _ change: (inout Store.Options) -> Void = { _ in }) throws
        -> Store
    {
        var options = folder.options
        options.limits.maxNames = maxNames
        change(&options)
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty {
            _ = try store.registry.addApp("shop")
            _ = try store.registry.addApp("other")
        }
        return store
    }

    /// Events as name and keys; each key has the event's index as its value.
    private func batch(
        _ id: String, app: Int64 = 1, device: Int = 1, at time: Int64 = Batches.noon,
        _ events: [(String, [String])]
    ) -> AcceptedBatch {
        var batch = Batches.make(
            id, app: app, device: device, times: Array(repeating: time, count: events.count))
        batch.names = []
        batch.attributeKeys = []
        batch.text = []
        var sessions: [String] = []
        func place(_ text: String, in list: inout [String]) -> Int {
            if let place = list.firstIndex(of: text) { return place }
            list.append(text)
            return list.count - 1
        }
        for (index, (name, keys)) in events.enumerated() {
            batch.events[index].name = UInt32(place(name, in: &batch.names))
            batch.events[index].session = Int32(
                place("\"\(time < Batches.noon ? "old" : "s")-\(index)\"", in: &sessions))
            let begin = UInt32(batch.text.count)
            let text = keys.map { "\(place($0, in: &batch.attributeKeys)),\"\(index),\\\"\"" }
            batch.text += Array(text.joined(separator: ",").utf8)
            batch.events[index].attributes = begin..<UInt32(batch.text.count)
        }
        batch.sessionsJSON = Array("[\(sessions.joined(separator: ","))]".utf8)
        return batch
    }

    private func rejected(_ outcome: WriteOutcome?) -> [Int]? {
        switch outcome {
        case .stored: []
        case .storedInPart(let verdict):
            verdict.rejections.allSatisfy({ $0.rule == .tooManyNames })
                ? verdict.rejections.map(\.index) : nil
        default: nil
        }
    }

    private func names(_ store: Store, _ app: Int64 = 1) throws -> [String] {
        try store.reader().rows(
            """
            SELECT text FROM app_name AS a JOIN name ON name.id = a.name WHERE app = \(app)
            UNION ALL
            SELECT text FROM app_attribute_key AS a JOIN attribute_key AS k ON k.id = attribute_key
            WHERE app = \(app) ORDER BY 1
            """)
    }

    private func verify(_ store: Store) throws {
        try store.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    @Test(
        "an event that brings more than are left is rejected and brings none", arguments: [0, 1000])
    func limit(wordsInGroup: Int) throws {
        let store = try open(10) { $0.limits.wordsInGroup = wordsInGroup }
        let first = batch(
            "b-1",
            [("n1", []), ("n2", []), ("n3", []), ("n4", ["k1", "k2", "k3", "k4"]), ("n5", [])])
        #expect(store.writer.storeAlone(first) == .stored)
        let second = batch("b-2", [("n6", ["k5"]), ("n1", ["k1"])])
        #expect(rejected(store.writer.storeAlone(second)) == [0])
        let third = batch("b-3", [("n1", ["k7"]), ("n1", ["k6"]), ("n6", []), ("n1", ["k5"])])
        #expect(rejected(store.writer.storeAlone(third)) == [1, 2, 3])
        #expect(
            try names(store)
                == ["k1", "k2", "k3", "k4", "k7", "n1", "n2", "n3", "n4", "n5"])
        // A text that is a name counts again as a key.
        #expect(rejected(store.writer.storeAlone(batch("b-4", [("n1", ["n2"])]))) == [0])
        // A repeat brings nothing, and has the first one's counts.
        #expect(store.writer.storeAlone(third) == .duplicate(accepted: 1, rejected: 3))
        #expect(
            try store.reader().rows("SELECT text FROM name UNION SELECT text FROM attribute_key")
                .count == 10)
        #expect(
            try store.reader().rows("SELECT batch, code, events, first_index FROM rejection")
                == ["2|too-many-names|1|0", "3|too-many-names|3|1", "4|too-many-names|1|0"])
        try verify(store)
    }

    @Test("names of the protocol do not count", arguments: [0, 1000])
    func exempt(wordsInGroup: Int) throws {
        let store = try open(1) { $0.limits.wordsInGroup = wordsInGroup }
        let standard = StandardEvent.allCases.map { ($0.name, [$0.required.key, "counter.value"]) }
        #expect(store.writer.storeAlone(batch("b-1", standard)) == .stored)
        #expect(store.writer.storeAlone(batch("b-2", [("own", [])])) == .stored)
        #expect(rejected(store.writer.storeAlone(batch("b-3", [("own", ["screen.view"])]))) == [0])
        #expect(rejected(store.writer.storeAlone(batch("b-4", [("counter.name", [])]))) == [0])
        #expect(store.writer.storeAlone(batch("b-5", [("own", ["counter.name"])])) == .stored)
        try verify(store)
    }

    @Test("each app has its own, also of texts that another one has")
    func apps() throws {
        let store = try open(2)
        #expect(store.writer.storeAlone(batch("b-1", [("a", ["b"])])) == .stored)
        let other = batch("b-1", app: 2, [("a", []), ("c", []), ("d", []), ("a", ["b"])])
        #expect(rejected(store.writer.storeAlone(other)) == [2, 3])
        #expect(try names(store, 2) == ["a", "c"])
        try verify(store)
    }

    @Test("after a restart it counts on; names in use stay usable when the limit is lowered")
    func restart() throws {
        var store = try open(4)
        #expect(store.writer.storeAlone(batch("b-1", [("a", ["b"]), ("c", [])])) == .stored)
        try store.close()
        store = try open(4)
        #expect(rejected(store.writer.storeAlone(batch("b-2", [("d", []), ("e", [])]))) == [1])
        try store.close()
        store = try open(1)
        let known = batch("b-3", [("a", ["b"]), ("c", []), ("e", []), ("d", ["b"])])
        #expect(rejected(store.writer.storeAlone(known)) == [2])
        try verify(store)
    }

    @Test("what was left of a batch is stored as if the rest had never been sent")
    func part() throws {
        let store = try open(3)
        var whole = batch(
            "b-1",
            [("a", []), ("z", ["y", "x"]), ("a", ["k", "app.screen.name"]), ("x", []), ("b", [])])
        whole.rejected = 1
        whole.rejections = [Rejection(index: 7, rule: .time)]
        whole.rejectionCounts = [RejectionCount(code: "invalid-time", count: 1, firstIndex: 7)]
        var part = batch("b-1", [("a", []), ("a", ["k"]), ("b", [])])
        part.rejected = 3
        part.rejections = [
            Rejection(index: 1, rule: .tooManyNames), Rejection(index: 4, rule: .tooManyNames),
            Rejection(index: 7, rule: .time),
        ]
        part.rejectionCounts = whole.rejectionCounts
        part.rejectionCounts.append(
            RejectionCount(code: "too-many-names", count: 2, firstIndex: 1))
        #expect(store.writer.storeAlone(whole) == .storedInPart(NameVerdict(part)))
        // Three names are left: a, k and x; b finds none.
        let reader = try store.reader()
        #expect(
            try reader.rows("SELECT accepted, rejected, sessions FROM batch")
                == ["3|3|[\"s-0\",\"s-2\",\"s-3\"]"])
        #expect(
            try reader.rows(
                """
                SELECT e.id & 8191, n.text, e.session, e.attributes FROM event AS e
                JOIN name AS n ON n.id = e.name ORDER BY e.id
                """)
                == ["0|a|0|", "2|a|1|0,\"2,\\\"\",1,\"2,\\\"\"", "3|x|2|"])
        try verify(store)
    }

    @Test("what is erased and what is pruned is given back")
    func givenBack() throws {
        let store = try open(4)
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        #expect(
            store.writer.storeAlone(batch("b-1", device: 1, [("a", ["k"]), ("b", [])])) == .stored)
        #expect(store.writer.storeAlone(batch("b-2", device: 2, [("a", ["l"])])) == .stored)
        #expect(rejected(store.writer.storeAlone(batch("b-3", device: 2, [("c", [])]))) == [0])
        _ = try store.erase(Batches.device(1), of: app)
        #expect(try names(store) == ["a", "l"])
        let old = batch("b-4", device: 2, at: Batches.noon - 86_400_000, [("c", ["m"])])
        #expect(store.writer.storeAlone(old) == .stored)
        #expect(rejected(store.writer.storeAlone(batch("b-5", device: 2, [("d", [])]))) == [0])
        #expect(try store.prune(before: Batches.noon - 1).events == 1)
        #expect(try names(store) == ["a", "l"])
        #expect(store.writer.storeAlone(batch("b-6", device: 2, [("d", ["m"])])) == .stored)
        try verify(store)
    }

    @Test("a key that only pruned events of a batch had is given back, though the batch lists it")
    func listed() throws {
        let store = try open(3)
        var mixed = batch("b-1", [("a", ["old"]), ("a", ["new"])])
        mixed.events[0].time -= 86_400_000
        #expect(store.writer.storeAlone(mixed) == .stored)
        #expect(try store.prune(before: Batches.noon - 1).events == 1)
        #expect(try names(store) == ["a", "new"])
        #expect(store.writer.storeAlone(batch("b-2", [("b", [])])) == .stored)
        #expect(rejected(store.writer.storeAlone(batch("b-3", [("c", [])]))) == [0])
        try verify(store)
    }

    @Test("a dry run says the same and brings nothing")
    func dryRun() throws {
        let store = try open(3)
        #expect(store.writer.storeAlone(batch("b-1", [("a", ["k"])])) == .stored)
        let next = batch("b-2", [("b", ["k"]), ("c", []), ("a", [])])
        for _ in 0..<2 {
            let answer = Answer<NameVerdict>()
            #expect(store.dryRuns.judge(next) { answer.set(try? $0?.get()) })
            let verdict = answer.wait()
            #expect(verdict?.accepted == 2 && verdict?.rejections.map(\.index) == [1])
        }
        #expect(try names(store) == ["a", "k"])
        #expect(rejected(store.writer.storeAlone(next)) == [1])
        try verify(store)
    }

    @Test("a batch of many new words lets others through, and is stored whole")
    func flood() throws {
        let store = try open(100_000) {
            $0.limits.wordsInGroup = 8
            $0.limits.sliceNanoseconds = 1
        }
        let many = batch("many", (0..<100).map { ("n\($0)", (0..<20).map { "k\($0 * 7 % 40)" }) })
        let order = Order()
        let hold = store.writer.hold()
        #expect(store.writer.submit(many) { order.add("many", $0) } == nil)
        for number in 0..<3 {
            let small = batch("s-\(number)", app: 2, [("a", [])])
            #expect(store.writer.submit(small) { order.add("small", $0) } == nil)
        }
        hold.release()
        while order.names.count < 4 { usleep(1000) }
        #expect(order.names == ["small", "small", "small", "many"])
        #expect(order.outcomes.allSatisfy { $0 == .stored })
        #expect(try names(store).count == 120)
        try verify(store)
    }

    @Test("batches of many words that are known share a commit")
    func known() throws {
        let commits = Commits()
        let store = try open(1000) {
            $0.limits.wordsInGroup = 8
            $0.observer.committed = { commits.add($0.batches) }
        }
        let events = (0..<30).map { ("n\($0)", ["k\($0)"]) }
        #expect(store.writer.storeAlone(batch("b-0", events)) == .stored)
        let again = (1...5).map { batch("b-\($0)", device: $0, events) }
        #expect(store.writer.storeTogether(again) == Array(repeating: .stored, count: 5))
        try store.writer.perform { _ in }
        #expect(commits.all == [1, 5])
        try verify(store)
    }

    @Test("words of a batch that a crash kept from being stored are gone with the next start")
    func drafts() throws {
        var store = try open(1000) {
            $0.limits.wordsInGroup = 8
            $0.limits.sliceNanoseconds = 1
        }
        #expect(store.writer.storeAlone(batch("b-0", [("kept", [])])) == .stored)
        var isLost = false
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            // As a process leaves it that is killed between two pieces.
            var drafts = WordDrafts()
            try connection.transaction { () throws(StorageError) in
                try drafts.begin(connection, next: 2)
                try connection.execute("INSERT INTO name (text) VALUES ('draft')")
                try connection.execute("INSERT INTO attribute_key (text) VALUES ('draft')")
            }
        }
        isLost = try store.reader().integer("SELECT count(*) FROM name") == 2
        #expect(isLost)
        try store.close()
        store = try open(1000)
        let reader = try store.reader()
        #expect(try reader.rows("SELECT text FROM name") == ["kept"])
        #expect(try reader.integer("SELECT count(*) FROM attribute_key") == 0)
        #expect(try reader.fact("drafts_from_name") == 0)
        try verify(store)
    }

    @Test("the mark of drafted words goes with the batch that has them")
    func mark() throws {
        let store = try open(1000) { $0.limits.wordsInGroup = 0 }
        #expect(store.writer.storeAlone(batch("b-1", [("a", ["k"])])) == .stored)
        #expect(try store.reader().fact("drafts_from_name") == 0)
        #expect(store.writer.storeAlone(batch("b-2", [("a", ["k"])])) == .stored)
        // A prune in between makes what was looked up doubtful, and no more.
        _ = try store.prune(before: Batches.noon - 1)
        #expect(store.writer.storeAlone(batch("b-3", [("b", ["k"])])) == .stored)
        #expect(try names(store) == ["a", "b", "k"])
        try verify(store)
    }
}

/// Numbers, from another thread.
private final class Commits: @unchecked Sendable {
    private let lock = NSLock()
    private var numbers: [Int] = []

    func add(_ number: Int) { lock.withLock { numbers.append(number) } }
    var all: [Int] { lock.withLock { numbers } }
}

/// Answers in the order in which they came.
private final class Order: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [(String, WriteOutcome)] = []

    func add(_ name: String, _ outcome: WriteOutcome) {
        lock.withLock { all.append((name, outcome)) }
    }
    var names: [String] { lock.withLock { all.map(\.0) } }
    var outcomes: [WriteOutcome] { lock.withLock { all.map(\.1) } }
}
