import Dispatch
import Events
import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("the writer")
struct WriterTests {
    let folder = TemporaryFolder()

    private func open(
        _ change: (inout Store.Options) -> Void = { _ in }
    ) throws(StorageError) -> Store {
        var options = folder.options
        change(&options)
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    @Test("a batch becomes rows as the schema says")
    func rows() throws {
        let store = try open()
        var batch = Batches.make("b-1", times: [Batches.noon + 5, Batches.noon], rejected: 2)
        batch.sequence = 7
        batch.key = 3
        batch.droppedEvents = 4
        batch.clockShift = -9
        batch.events[1].index = 3
        batch.events[1].session = -1
        batch.events[1].attributes = 0..<0
        #expect(store.writer.storeAlone(batch) == .stored)
        let reader = try store.reader()
        #expect(
            try reader.rows(
                """
                SELECT batch_id, received_at, clock_shift, profile, key, sequence, dropped_events,
                       body_bytes, accepted, rejected, first_time, last_time, sessions,
                       attribute_keys
                FROM batch
                """) == [
                    "b-1|\(Batches.noon + 1000)|-9|3|3|7|4|100|2|2|\(Batches.noon)|"
                        + "\(Batches.noon + 5)|[\"s-1\"]|[1]"
                ])
        #expect(
            try reader.rows("SELECT text FROM attribute_key WHERE id = 1") == ["app.screen.name"])
        #expect(
            try reader.rows("SELECT id, name, late, session, attributes FROM event") == [
                "8192|1|995|0|0,\"menu0\"", "8195|1|1000||",
            ])
        #expect(
            try reader.rows("SELECT hex(hash), shared FROM device")
                == [batch.device.hex.uppercased() + "|0"])
        #expect(
            try reader.rows("SELECT os_name, os_version, service_version FROM resource")
                == ["iOS||1.0"])
    }

    @Test("a group's replies are given within what asks for them, all in one call")
    func surroundedReplies() throws {
        let store = try open()
        let given = Mutex<(isInside: Bool, calls: [Int])>((false, []))
        store.writer.reply(within: { replies in
            given.withLock { $0 = (true, $0.calls + [0]) }
            replies()
            given.withLock { $0.isInside = false }
        })
        let hold = store.writer.hold()
        for number in 1...3 {
            let refusal = store.writer.submit(Batches.make("b-\(number)")) { outcome in
                #expect(outcome == .stored)
                given.withLock { given in
                    #expect(given.isInside)
                    given.calls[given.calls.count - 1] += 1
                }
            }
            #expect(refusal == nil)
        }
        hold.release()
        #expect(eventually { given.withLock { !$0.isInside && $0.calls == [3] } })
        #expect(store.writer.storeAlone(Batches.make("b-4")) == .stored)
        #expect(given.withLock { $0.calls.count } == 2)
    }

    @Test(
        "every number of events is stored whole, in order",
        arguments: [0, 1, 9, 10, 11, 49, 50, 51, 59, 60, 110, 5000, 8192])
    func counts(_ count: Int) throws {
        let store = try open()
        let times = (0..<count).map { Batches.noon + Int64($0) }
        #expect(store.writer.storeAlone(Batches.make("b", times: times)) == .stored)
        let reader = try store.reader()
        let rows = try reader.rows("SELECT id - 8192, late, attributes FROM event ORDER BY id")
        #expect(
            rows
                == times.enumerated().map {
                    "\($0.offset)|\(1000 - $0.offset)|0,\"menu\($0.offset)\""
                }
        )
    }

    @Test(
        "where events were rejected the others keep their indexes",
        arguments: [1, 2, 7, 8, 48, 50, 99])
    func gaps(_ gap: Int) throws {
        let store = try open()
        var batch = Batches.make("b", times: (0..<100).map { Batches.noon + Int64($0) })
        for place in gap..<100 { batch.events[place].index += 3 }
        batch.events[99].index = 8191
        #expect(store.writer.storeAlone(batch) == .stored)
        let rows = try store.reader().rows("SELECT id - 8192, 1000 - late FROM event ORDER BY id")
        #expect(rows == batch.events.map { "\($0.index)|\($0.time - Batches.noon)" })
    }

    @Test("a row behind all others, which nobody of us has made, moves no events")
    func stray() throws {
        let insert = "INSERT INTO event (id, name, late) VALUES (\(Int64.max), 1, 0)"
        let times = [Batches.noon, Batches.noon + 1]
        func ids(_ store: borrowing Store) throws -> [String] {
            try store.reader().rows("SELECT id FROM event WHERE id < \(Int64.max) ORDER BY id")
        }
        do {
            let store = try open()
            try store.writer.perform { (connection) throws(StorageError) in
                try connection.execute(insert)
            }
            // Found while it runs, by one batch.
            let batch = Batches.make("a", times: times)
            #expect(store.writer.storeAlone(batch) == .failed(.internalError))
            #expect(store.writer.storeAlone(batch) == .stored)
            #expect(try ids(store) == ["16384", "16385"])
        }
        // Found at the start.
        let store = try open()
        #expect(store.writer.storeAlone(Batches.make("b", times: times)) == .stored)
        #expect(try ids(store) == ["16384", "16385", "24576", "24577"])
    }

    @Test("an index that would reach into the next batch is refused")
    func largeIndex() throws {
        let store = try open()
        var batch = Batches.make("b")
        batch.events[0].index = 8192
        #expect(store.writer.storeAlone(batch) == .failed(.internalError))
        #expect(try store.reader().integer("SELECT count(*) FROM batch") == 0)
    }

    @Test("rejected events are kept by code, without their content")
    func rejections() throws {
        let store = try open()
        var batch = Batches.make("b-1", rejected: 5)
        batch.rejectionCounts = [
            RejectionCount(code: "invalid-name", count: 3, firstIndex: 1),
            RejectionCount(code: "invalid-time", count: 2, firstIndex: 4),
        ]
        #expect(store.writer.storeTogether([batch, batch]).first == .stored)
        #expect(
            try store.reader().rows("SELECT batch, code, events, first_index FROM rejection")
                == ["1|invalid-name|3|1", "1|invalid-time|2|4"])
    }

    @Test("a key's batches are counted, repeats and other keys' not")
    func keyUse() throws {
        let store = try open()
        func batch(_ id: String, key: Int64?, at moment: Int64) -> AcceptedBatch {
            var batch = Batches.make(id)
            batch.key = key
            batch.receivedAt = moment
            return batch
        }
        _ = store.writer.storeTogether([
            batch("b-1", key: 3, at: 50), batch("b-2", key: 3, at: 40),
            batch("b-1", key: 3, at: 90),
            batch("b-3", key: nil, at: 99), batch("b-4", key: 4, at: 10),
        ])
        _ = store.writer.storeAlone(batch("b-5", key: 3, at: 45))
        let use = try store.reader().keyUse()
        #expect(use[3]?.batches == 3 && use[3]?.last == 50)
        #expect(use[4]?.batches == 1 && use.count == 2)
    }

    @Test("refusals of one quarter hour, app and code add up")
    func refusals() throws {
        let store = try open()
        _ = try store.registry.addApp("refused")
        let app = try #require(store.registry.snapshot.app(named: "refused")).id
        let count = RefusalCount(app: app, quarter: 7, code: "undecodable", batches: 2)
        try store.writer.add([
            count, RefusalCount(app: app, quarter: 8, code: "undecodable", batches: 1),
        ])
        try store.writer.add([count])
        #expect(
            try store.reader().rows("SELECT quarter, code, batches FROM refusal")
                == ["7|undecodable|4", "8|undecodable|1"])
    }

    @Test("counting refusals leaves the writer what it remembers; other work does not")
    func remembering() throws {
        let store = try open()
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.execute("UPDATE name SET text = 'remembered'")
        }
        try store.writer.add([RefusalCount(app: 1, quarter: 7, code: "undecodable", batches: 2)])
        #expect(store.writer.storeAlone(Batches.make("b-2")) == .stored)
        #expect(try store.reader().rows("SELECT text FROM name") == ["remembered"])
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("UPDATE app SET title = 'x'")
        }
        #expect(store.writer.storeAlone(Batches.make("b-3")) == .stored)
        #expect(
            try store.reader().rows("SELECT text FROM name ORDER BY id")
                == ["remembered", "screen.view"])
    }

    @Test(
        "quarter hours cut where time zones do",
        arguments: [
            (0, 0), (899_999, 0), (900_000, 1), (-1, -1), (-900_000, -1), (-900_001, -2),
        ])
    func quarterHours(moment: Int64, number: Int64) {
        #expect(QuarterHour.number(of: moment) == number)
    }

    @Test("a repeat in one group is a duplicate with the first one's counts")
    func concurrentRepeat() throws {
        let store = try open()
        let first = Batches.make("b-1", times: [Batches.noon, Batches.noon], rejected: 3)
        let outcomes = store.writer.storeTogether([first, Batches.make("b-1"), first])
        #expect(
            outcomes == [
                .stored, .duplicate(accepted: 2, rejected: 3), .duplicate(accepted: 2, rejected: 3),
            ])
        let reader = try store.reader()
        #expect(try reader.rows("SELECT count(*) FROM batch") == ["1"])
        let quarter = QuarterHour.number(of: first.receivedAt)
        #expect(
            try reader.rows("SELECT quarter, batch, times, body_bytes FROM repeat")
                == ["\(quarter)|1|2|200"])
        #expect(try reader.integer("SELECT count(*) FROM event") == 2)
    }

    @Test("a repeat after a restart is a duplicate; another device's and another app's are not")
    func laterRepeat() throws {
        var store = try open()
        _ = try store.registry.addApp("other")
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        try store.close()
        store = try open()
        #expect(
            store.writer.storeTogether([
                Batches.make("b-1"), Batches.make("b-1", device: 2), Batches.make("b-1", app: 2),
            ]) == [.duplicate(accepted: 1, rejected: 0), .stored, .stored])
        #expect(try store.reader().integer("SELECT count(*) FROM batch") == 3)
    }

    @Test("waiting batches share one commit, up to the cap")
    func grouping() throws {
        let commits = Mutex<[Int]>([])
        let store = try open {
            $0.limits.batchesPerCommit = 4
            $0.observer.committed = { commit in commits.withLock { $0.append(commit.batches) } }
        }
        let outcomes = store.writer.storeTogether(
            (0..<10).map { Batches.make("b-\($0)", device: $0) })
        #expect(outcomes == Array(repeating: .stored, count: 10))
        try store.writer.perform { _ in }
        #expect(commits.withLock { $0 } == [4, 4, 2])
    }

    @Test("a large batch begins a group, and waits for no more than its turn")
    func largeBatches() throws {
        let groups = Mutex<[[String]]>([])
        let store = try open {
            $0.limits.largeBatch = 300
            ($0.limits.commitsPerGroup, $0.limits.groupNanoseconds) = (.max, .max)
            $0.observer.committed = { _ in groups.withLock { $0.append([]) } }
        }
        let hold = store.writer.hold()
        let large = Array(repeating: Batches.noon, count: 60)
        func submit(_ id: String, app: Int64, _ times: [Int64]) {
            #expect(
                store.writer.submit(Batches.make(id, app: app, times: times)) { _ in
                    groups.withLock { $0[$0.count - 1].append(id) }
                } == nil)
        }
        groups.withLock { $0 = [[]] }
        for number in 0..<3 { submit("large-\(number)", app: 1, large) }
        for number in 0..<5 { submit("small-\(number)", app: 2, [Batches.noon]) }
        hold.release()
        let expected = [
            ["large-0", "small-0"], ["large-1", "small-1"],
            ["large-2", "small-2", "small-3", "small-4"], [],
        ]
        #expect(eventually { groups.withLock { $0 == expected } })
    }

    @Test("one batch more than may wait is refused at once; there is room again later")
    func overload() throws {
        let store = try open { $0.limits.pendingBatches = 3 }
        let hold = store.writer.hold()
        for number in 0..<3 {
            #expect(store.writer.submit(Batches.make("b-\(number)")) { _ in } == nil)
        }
        #expect(
            store.writer.submit(Batches.make("b-3")) { _ in Issue.record("told later") }
                == .overloaded)
        #expect(store.writer.pendingBatches == 3)
        hold.release()
        try store.writer.perform { _ in }
        #expect(store.writer.storeAlone(Batches.make("b-3")) == .stored)
        #expect(try store.reader().integer("SELECT count(*) FROM batch") == 4)
    }

    @Test("a group ends with half of the requests that are under way; one of many batches is one")
    func halves() throws {
        let groups = Mutex<[Int]>([])
        let store = try open {
            $0.limits.commitsPerGroup = 0
            $0.observer.committed = { commit in groups.withLock { $0.append(commit.batches) } }
        }
        let hold = store.writer.hold()
        for number in 0..<8 {
            #expect(store.writer.submit(Batches.make("b-\(number)")) { _ in } == nil)
        }
        hold.release()
        #expect(eventually { groups.withLock { $0 == [4, 2, 1, 1] } })
        let many = (0..<5).map { Batches.make("c-\($0)") }
        #expect(store.writer.submit(many, isContinued: false) { _ in } == nil)
        #expect(eventually { groups.withLock { $0 == [4, 2, 1, 1, 5] } })
    }

    @Test("many batches that wait or are being written are a crowd; what is answered is none")
    func crowd() throws {
        let inCommit = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        let store = try open {
            $0.observer.committed = { _ in
                inCommit.signal()
                goesOn.wait()
            }
        }
        #expect(!store.writer.isCrowded)
        let hold = store.writer.hold()
        for number in 0..<8 {
            #expect(!store.writer.isCrowded)
            #expect(store.writer.submit(Batches.make("b-\(number)")) { _ in } == nil)
        }
        #expect(store.writer.isCrowded)
        hold.release()
        // The group has been taken: nothing waits.
        inCommit.wait()
        #expect(store.writer.pendingBatches == 0 && store.writer.isCrowded)
        goesOn.signal()
        try store.writer.perform { _ in }
        #expect(!store.writer.isCrowded)
        try store.close()
    }

    @Test("closing writes what waits, and then refuses")
    func closing() throws {
        let store = try open()
        let hold = store.writer.hold()
        let stored = Atomic(0)
        for number in 0..<1000 {
            let refusal = store.writer.submit(Batches.make("b-\(number)", device: number)) {
                if $0 == .stored { stored.add(1, ordering: .relaxed) }
            }
            #expect(refusal == nil)
        }
        hold.release()
        try store.close()
        #expect(stored.load(ordering: .relaxed) == 1000)
        #expect(store.writer.submit(Batches.make("late")) { _ in } == .closing)
        #expect(throws: StorageError.self) { try store.writer.perform { _ in } }
        try store.close()
        #expect(try store.reader().integer("SELECT count(*) FROM event") == 1000)
    }

    @Test("the log is moved to the file when it is long")
    func checkpoints() throws {
        let store = try open { $0.limits.framesPerCheckpoint = 50 }
        let times = Array(repeating: Batches.noon, count: 1000)
        for number in 0..<50 {
            #expect(store.writer.storeAlone(Batches.make("b-\(number)", times: times)) == .stored)
        }
        try store.writer.perform { _ in }
        let log = try contents(of: folder.data.database + "-wal").count
        #expect(log < 200 * 4120)
        #expect(try contents(of: folder.data.database).count > 1_000_000)
    }

    @Test("most of a long log is moved beside the writer, and the log begins anew")
    func movesBeside() throws {
        let store = try open {
            $0.limits.framesPerCheckpoint = 50
            $0.limits.framesMovedBeside = 10
        }
        let times = Array(repeating: Batches.noon, count: 1000)
        for number in 0..<100 {
            #expect(store.writer.storeAlone(Batches.make("b-\(number)", times: times)) == .stored)
        }
        // Some 2,000 frames were written.
        #expect(try contents(of: folder.data.database + "-wal").count < 1000 * 4120)
        // What was moved last is moved without a further batch.
        #expect(
            eventually {
                (try? contents(of: folder.data.database).count) ?? 0 > 1_500_000
            })
        #expect(!store.writer.isWALLong)
        try store.writer.perform { _ in }
        #expect(try store.reader().integer("SELECT count(*) FROM event") == 100_000)
        try store.close()
        #expect((try? contents(of: folder.data.database + "-wal"))?.isEmpty ?? true)
    }

    @Test(
        "a log that a reader holds up is long until the reader has ended and it was moved",
        arguments: [10, Int.max])
    func longWAL(_ framesMovedBeside: Int) throws {
        let store = try open {
            $0.limits.framesPerCheckpoint = 50
            $0.limits.framesMovedBeside = framesMovedBeside
        }
        let notices = Atomic(0)
        store.writer.whenWALIsShort { notices.add(1, ordering: .relaxed) }
        func fill(_ numbers: Range<Int>) {
            let times = Array(repeating: Batches.noon, count: 1000)
            for number in numbers {
                let batch = Batches.make("b-\(number)", times: times)
                #expect(store.writer.storeAlone(batch) == .stored)
            }
        }
        fill(0..<50)
        try store.writer.perform { _ in }
        #expect(!store.writer.isWALLong)
        let reader = try store.reader()
        try reader.execute("BEGIN")
        #expect(try reader.integer("SELECT count(*) FROM batch") == 50)
        fill(50..<100)
        try store.writer.perform { _ in }
        #expect(eventually { store.writer.isWALLong })
        store.writer.shortenWAL()
        try store.writer.perform { _ in }
        #expect(store.writer.isWALLong && notices.load(ordering: .relaxed) == 0)
        try reader.execute("COMMIT")
        store.writer.shortenWAL()
        #expect(eventually { !store.writer.isWALLong && notices.load(ordering: .relaxed) == 1 })
        // The next commit begins it anew.
        let length = try contents(of: folder.data.database + "-wal").count
        fill(100..<140)
        #expect(try contents(of: folder.data.database + "-wal").count == length)
        try store.close()
        store.writer.shortenWAL()
    }

    @Test("what a killed process leaves behind holds every batch that was told to be stored")
    func killed() throws {
        let store = try open()
        let batches = (0..<100).map { Batches.make("b-\($0)", device: $0 % 7) }
        #expect(store.writer.storeTogether(batches) == Array(repeating: .stored, count: 100))
        // The files as they are now: what the next process would find after `kill -9`.
        let other = TemporaryFolder()
        try other.data.create()
        for name in try folder.names() where name != "sojourn.lock" && name != "sojourn.db-shm" {
            try FileManager.default.copyItem(
                atPath: folder.data.path + "/" + name, toPath: other.data.path + "/" + name)
        }
        let next = try Store.open(other.options)
        let duplicate = WriteOutcome.duplicate(accepted: 1, rejected: 0)
        #expect(next.writer.storeTogether(batches) == Array(repeating: duplicate, count: 100))
        #expect(try next.reader().integer("SELECT count(*) FROM event") == 100)
    }
}
