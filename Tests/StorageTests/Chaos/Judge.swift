import Events
import StoreTestSupport
import TestSupport

@testable import Database
@testable import Storage
@testable import Upkeep

/// Compares a store with a history: every batch that was answered is there, whole, once; every other
/// that was sent is there whole, once, or not at all; and what hangs on batches agrees with them.
struct Judge {
    let history: History
    private let sent: [BatchName: AcceptedBatch]
    private let answers: [History.Answer]
    /// What the judge posts itself, to see whether the store goes on.
    private static let after = BatchName(device: 9, id: "after")
    /// How many others it posts again.
    private static let again = 8

    init(_ history: History) {
        self.history = history
        let own = Batches.make(Self.after.id, device: Self.after.device)
        sent = history.sent.merging([Self.after: own]) { first, _ in first }
        answers = history.answers
    }

    /// Looks at all of it, then posts a few batches again, and a new one.
    /// - Parameter count: how many answers had been given.
    /// - Parameter earlier: how often a judge has posted batches before.
    func judge(
        _ store: Store, after count: Int, earlier: Int = 0, using random: inout SplitMix
    ) throws -> Verdict {
        var verdict = Verdict()
        let told = answers.prefix(count)
        let reader = try store.reader()
        let found = try stored(reader, &verdict)
        for case .batch(let name, let outcome) in told where outcome.isPromise {
            if found[name] == nil { verdict.lost.append("\(name)") }
        }
        try checkSums(store, reader, found, told, &verdict)
        try checkRepeats(reader, told, earlier, &verdict)
        goOn(store, found, &verdict, &random)
        return verdict
    }

    /// The batches that are there. Those that are not whole count as lost.
    private func stored(
        _ reader: Connection, _ verdict: inout Verdict
    ) throws -> [BatchName: AcceptedBatch] {
        let names = Dictionary(
            uniqueKeysWithValues: sent.keys.map {
                (Batches.device($0.device).hex.uppercased() + "|" + $0.id, $0)
            })
        let rows = try reader.prepare(
            """
            SELECT hex(hash) || '|' || batch_id, accepted, rejected, key,
                (SELECT group_concat((e.id & 8191) || ':' || text || ':' || (received_at - e.late) || ':'
                        || coalesce(attributes, ''), ' ')
                 FROM event e JOIN name ON name.id = e.name
                 WHERE e.id BETWEEN batch.id << 13 AND (batch.id << 13) + 8191),
                (SELECT sum(events) FROM rejection WHERE app = batch.app AND batch = batch.id)
            FROM batch JOIN device ON device.id = device
            """)
        var found: [BatchName: AcceptedBatch] = [:]
        while try rows.step() {
            guard let name = names[rows.text(0)], let batch = sent[name] else {
                verdict.other.append("nobody sent \(rows.text(0))")
                continue
            }
            if found.updateValue(batch, forKey: name) != nil { verdict.doubled.append("\(name)") }
            let isWhole =
                rows.int(1) == Int64(batch.events.count) && rows.int(2) == Int64(batch.rejected)
                && rows.optionalInt(3) == batch.key && rows.text(4) == Self.events(of: batch)
                && rows.int(5) == Int64(batch.rejected)
            if !isWhole { verdict.lost.append("\(name) is not whole") }
        }
        return found
    }

    private static func events(of batch: AcceptedBatch) -> String {
        batch.events.map { event in
            let attributes = batch.text[
                Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)]
            return "\(event.index):\(batch.names[Int(event.name)]):\(event.time):"
                + String(decoding: attributes, as: UTF8.self)
        }.joined(separator: " ")
    }

    private func checkSums(
        _ store: Store, _ reader: Connection, _ found: [BatchName: AcceptedBatch],
        _ told: ArraySlice<History.Answer>, _ verdict: inout Verdict
    ) throws {
        let integrity = try reader.rows("PRAGMA integrity_check")
        if integrity != ["ok"] { verdict.other.append("damaged: \(integrity.prefix(3))") }
        let verification = try Verification(store.directory).run()
        if !verification.isGood { verdict.other.append("verify: \(verification.findings)") }
        if try !reader.rows("PRAGMA foreign_key_check").isEmpty {
            verdict.other.append("a row points nowhere")
        }
        let events = found.values.reduce(0) { $0 + $1.events.count }
        if try reader.integer("SELECT count(*) FROM event") != Int64(events) {
            verdict.other.append("events belong to no batch")
        }
        let keyed = found.values.count { $0.key != nil }
        if try (reader.integer("SELECT sum(batches) FROM key_use") ?? 0) != Int64(keyed) {
            verdict.other.append("a key's use is not the number of its batches")
        }
        try checkDevices(reader, found, &verdict)
        let tokens = Set(try reader.rows("SELECT name FROM token"))
        for case .token(let name) in told where !tokens.contains(name) {
            verdict.lost.append("token \(name)")
        }
        var refused = 0
        for case .refusals(let count) in told { refused += count }
        let counted = Int(try reader.integer("SELECT sum(batches) FROM refusal") ?? 0)
        if counted < refused { verdict.lost.append("\(refused - counted) refusals") }
        if counted > history.refusalsTried { verdict.doubled.append("refusals") }
    }

    /// A device's first event is the earliest of those that are there, and it is shared if one says so.
    private func checkDevices(
        _ reader: Connection, _ found: [BatchName: AcceptedBatch], _ verdict: inout Verdict
    ) throws {
        var rows = Set<String>()
        for (device, batches) in Dictionary(grouping: found, by: \.key.device) {
            let first = batches.compactMap { $0.value.events.map(\.time).min() }.min()
            let isShared = batches.contains { $0.value.isShared }
            rows.insert(
                "\(Batches.device(device).hex.uppercased())|\(first ?? 0)|\(isShared ? 1 : 0)")
        }
        let stored = Set(
            try reader.rows("SELECT hex(hash), coalesce(first_time, 0), shared FROM device"))
        if stored != rows { verdict.other.append("devices: \(stored), not \(rows)") }
    }

    private func checkRepeats(
        _ reader: Connection, _ told: ArraySlice<History.Answer>, _ earlier: Int,
        _ verdict: inout Verdict
    ) throws {
        var least = 0
        for case .batch(_, .duplicate) in told { least += 1 }
        let most =
            history.posts.values.reduce(0) { $0 + $1 - 1 } + earlier * (Self.again + 1)
        let counted = Int(try reader.integer("SELECT sum(times) FROM repeat") ?? 0)
        if counted < least { verdict.lost.append("\(least - counted) repeats") }
        if counted > most { verdict.doubled.append("\(counted - most) repeats") }
    }

    /// A few batches come again, and the judge's own: one group.
    private func goOn(
        _ store: Store, _ found: [BatchName: AcceptedBatch], _ verdict: inout Verdict,
        _ random: inout SplitMix
    ) {
        let names =
            sent.keys.sorted().shuffled(using: &random).prefix(Self.again) + [Self.after]
        let posts = names.compactMap { sent[$0] }
        var isThere = Set(found.keys)
        for (name, outcome) in zip(names, store.writer.storeTogether(posts)) {
            let counts = sent[name].map { ($0.events.count, $0.rejected) } ?? (0, 0)
            let isNew = isThere.insert(name).inserted
            switch outcome {
            case .stored where isNew: continue
            case .stored: verdict.doubled.append("\(name) was taken again")
            case .duplicate(let accepted, let rejected)
            where !isNew && (accepted, rejected) == counts:
                continue
            default: verdict.other.append("\(name) came again and is \(outcome as Any)")
            }
        }
    }
}

extension WriteOutcome {
    /// Whether whoever got it may forget the batch.
    var isPromise: Bool { if case .failed = self { false } else { true } }
}

/// What a store was found to have wrong.
struct Verdict {
    /// Answered as stored, and not there or not whole.
    var lost: [String] = []
    /// There more than once, or taken for new a second time.
    var doubled: [String] = []
    /// Anything else that must not be.
    var other: [String] = []

    var all: [String] {
        lost.map { "lost: " + $0 } + doubled.map { "doubled: " + $0 } + other
    }

    static func += (left: inout Verdict, right: Verdict) {
        left.lost += right.lost
        left.doubled += right.doubled
        left.other += right.other
    }
}
