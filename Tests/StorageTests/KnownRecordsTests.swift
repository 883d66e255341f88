import Events
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("records that come again in another batch")
struct KnownRecordsTests {
    /// A record of a device; `number` tells those of one time apart.
    private struct Record: Hashable {
        let device: Int
        /// Milliseconds after noon.
        let time: Int64
        let number: Int

        var fingerprint: Fingerprint {
            var random = SplitMix(seed: UInt64(bitPattern: time &* 1_000 &+ Int64(number * 10)))
            return Fingerprint(random.next())
        }
    }

    let folder = TemporaryFolder()

    /// - Parameter seed: with odd ones devices are soon held in memory, some of them too large for it
    private func options(_ seed: UInt64 = 0) -> Store.Options {
        var options = folder.options
        if seed % 2 == 1 {
            options.limits.batchesCompared = 2
            options.limits.fingerprintsInMemory = seed % 3 == 0 ? 30 : 90
        }
        options.limits.batchesPerGeneration = 9
        options.limits.keysPerSlice = 2
        return options
    }

    private func open(_ seed: UInt64 = 0) throws -> Store {
        let store = try Store.open(options(seed))
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    /// Known by the same id as another of the same records, in whatever order.
    private func batch(_ records: [Record], rejected: Int = 0) -> AcceptedBatch {
        let id = records.map { "\($0.time)-\($0.number)" }.sorted().joined(separator: ".")
        var batch = Batches.make(
            "otlp:\(id)", device: records[0].device,
            times: records.map { Batches.noon + $0.time }, rejected: rejected)
        batch.profile = .otlp
        batch.sessionsJSON = nil
        batch.text = []
        for index in records.indices {
            let begin = UInt32(batch.text.count)
            batch.text += "0,\"\(records[index].number)\"".utf8
            batch.events[index].attributes = begin..<UInt32(batch.text.count)
            batch.events[index].session = -1
        }
        batch.fingerprints = records.map(\.fingerprint)
        return batch
    }

    /// What is stored, each as often as it is.
    private func stored(_ store: Store) throws -> [Record: Int] {
        var found: [Record: Int] = [:]
        let rows = try store.reader().prepare(
            """
            SELECT d.hash, b.received_at - e.late - \(Batches.noon), e.attributes
            FROM event AS e JOIN batch AS b ON b.id = e.id >> 13 JOIN device AS d ON d.id = b.device
            """)
        let devices = Dictionary(
            uniqueKeysWithValues: (0..<8).map { (Batches.device($0).bytes, $0) })
        while try rows.step() {
            let device = try #require(devices[rows.blob(0)])
            let number = try #require(Int(rows.text(2).dropFirst(3).dropLast()))
            found[Record(device: device, time: rows.int(1), number: number), default: 0] += 1
        }
        return found
    }

    private func verify() throws { #expect(try Verification(folder.data).run().findings == []) }

    @Test(
        "in whatever grouping, order and number, across restarts, groups that fail and erasures: each is there as often as the batch that has it most often",
        .tags(.long),
        arguments: 1...12 as ClosedRange<UInt64>)
    func groupings(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        var store = try open(seed)
        var wanted: [Record: Int] = [:]
        for round in 0..<60 {
            var group: [AcceptedBatch] = []
            var hasBad = false
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let device = Int.random(in: 0...2, using: &random)
                let begin = Int64.random(in: 0...40, using: &random)
                let reach = random.oneIn(5) ? 40 : Int64.random(in: 0...6, using: &random)
                let records = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    Record(
                        device: device, time: begin + .random(in: 0...reach, using: &random),
                        number: .random(in: 0...2, using: &random))
                }
                if random.oneIn(25) {
                    // Takes its whole group with it, which is then stored one by one.
                    var bad = batch(records)
                    bad.batchID += "bad"
                    bad.rejectionCounts = Array(
                        repeating: RejectionCount(code: "invalid-name", count: 1, firstIndex: 0),
                        count: 2)
                    // What a known batch breaks is never looked at.
                    bad.fingerprints = records.map { _ in Fingerprint(random.next()) }
                    group.append(bad)
                    hasBad = true
                    continue
                }
                for _ in 0..<(random.oneIn(4) ? 2 : 1) {
                    group.append(batch(records.shuffled(using: &random)))
                }
                for (record, count) in Dictionary(grouping: records, by: { $0 }) {
                    wanted[record] = max(wanted[record] ?? 0, count.count)
                }
            }
            let outcomes = store.writer.storeTogether(group)
            #expect(
                hasBad || !outcomes.contains { if case .failed = $0 { true } else { $0 == nil } })
            if random.oneIn(12) {
                try store.close()
                store = try open(seed)
            }
            if random.oneIn(20) {
                let app = try #require(store.registry.snapshot.app(named: "shop"))
                _ = try store.erase(Batches.device(1), of: app)
                wanted = wanted.filter { $0.key.device != 1 }
            }
            if round % 20 == 19 {
                #expect(try stored(store) == wanted)
                try verify()
            }
        }
        #expect(try stored(store) == wanted)
        try store.close()
        try verify()
    }

    @Test(
        "a batch of known records alone counts as a repeat, and one that has new ones as what is new"
    )
    func outcomes() throws {
        let store = try open()
        let records = (0..<4).map { Record(device: 1, time: $0, number: 0) }
        #expect(store.writer.storeAlone(batch(Array(records[..<2]))) == .stored)
        #expect(
            store.writer.storeAlone(batch(Array(records[1...]), rejected: 1))
                == .storedInPart(
                    NameVerdict(batch(Array(records[2...]), rejected: 1))))
        #expect(
            store.writer.storeAlone(batch(records, rejected: 2))
                == .duplicate(accepted: 4, rejected: 2))
        let reader = try store.reader()
        #expect(try reader.rows("SELECT accepted, rejected FROM batch") == ["2|0", "2|1"])
        #expect(try reader.rows("SELECT batch, times FROM repeat") == ["1|1"])
    }

    @Test("of n equal ones of which m are stored n − m are added")
    func equal() throws {
        let store = try open()
        let record = Record(device: 1, time: 5, number: 0)
        for (count, total) in [(2, 2), (1, 2), (5, 5), (3, 5), (6, 6)] {
            let other = Record(device: 1, time: Int64(10 + count), number: 0)
            _ = store.writer.storeAlone(
                batch(Array(repeating: record, count: count) + [other]))
            #expect(try stored(store)[record] == total)
        }
    }

    @Test(
        "what a prune has left is good, whether keys were entered before it or after",
        arguments: [0, 5])
    func pruned(_ later: Int) throws {
        let day: Int64 = 86_400_000
        var store = try open()
        for number in 0..<6 {
            let records = (0..<3).map {
                Record(device: number % 3, time: Int64(number + $0 * 30) * day, number: number)
            }
            #expect(store.writer.storeAlone(batch(records)) == .stored)
        }
        #expect(store.writer.storeAlone(batch([Record(device: 0, time: 1, number: 9)])) == .stored)
        let pruned = try store.prune(before: Batches.noon + 4 * day)
        #expect(pruned.events == 5)
        try store.close()
        store = try open()
        for number in 0..<(later * 5) {
            let record = Record(device: 4, time: 100 * day, number: number)
            #expect(store.writer.storeAlone(batch([record])) == .stored)
        }
        try store.close()
        try verify()
    }

    @Test("no more fingerprints are held than may be, of however many devices")
    func bound() throws {
        let store = try open()
        defer { try? store.close() }
        let connection = try Connection(path: store.directory.database, mode: .write)
        let repeats = try RepeatIndex(connection, .ofNothing, generation: 1000, slice: 1000)
        let known = try KnownRecords(
            connection, repeats, batchesCompared: 2, fingerprintsInMemory: 60)
        var (number, greatest): (Int64, Int) = (0, 0)
        for round in 0..<20 {
            for device in 0..<5 {
                // All at one time, so that each is compared with all before it.
                let sent = batch(
                    (0..<4).map { Record(device: device, time: 0, number: 4 * round + $0) })
                if round > 0 {
                    let comparison = try #require(known.begin(sent, device: Int64(device)))
                    #expect(try known.proceed(comparison))
                    greatest = max(greatest, known.held.value)
                    comparison.end(sent)
                    guard case .new? = comparison.result else {
                        Issue.record("\(round), \(device)")
                        return
                    }
                }
                number += 1
                try known.add(sent, number: number, device: Int64(device))
                greatest = max(greatest, known.held.value)
            }
        }
        #expect(greatest > 40 && greatest <= 60)
        known.forget()
        #expect(known.held.value == 0)
    }

    @Test("the times of batches are found by device, and go in the order in which they came")
    func spans() {
        var random = SplitMix(seed: 5)
        var spans = RecentSpans()
        var all: [(device: Int64, batch: Int64)] = []
        for batch in 1...3000 as ClosedRange<Int64> {
            if random.oneIn(60) {
                let last = all.dropLast(min(all.count, .random(in: 0...50, using: &random))).last
                all.removeAll { $0.batch > last?.batch ?? 0 }
                spans.removeAll(after: last?.batch ?? 0)
            }
            if random.oneIn(900) {
                all = []
                spans.removeAll()
            }
            let device = Int64.random(in: 1...50, using: &random)
            spans.append(RecentSpans.Times(batch: batch, first: batch, last: batch), of: device)
            all.append((device, batch))
            let wanted = Int64.random(in: 1...50, using: &random)
            var found: [Int64] = []
            spans.forEach(of: wanted) { found.append($0.batch) }
            #expect(found == all.filter { $0.device == wanted }.map(\.batch).reversed())
            #expect((spans.span(of: batch - 1) != nil) == all.contains { $0.batch == batch - 1 })
        }
    }
}
