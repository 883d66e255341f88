import Query
import Reports
import StoreTestSupport

@testable import Storage
@testable import Upkeep

/// What a store must have after all that was done to it: the model. Nothing here knows the database.
struct ModelState {
    /// A line of the file `erased`.
    struct Receipt: Hashable {
        let device: String
        let moment: Int64
    }

    /// In the order in which they were stored.
    private(set) var batches: [SentBatch] = []
    private(set) var facts: [String: LastingFacts] = [:]
    private(set) var receipts: Set<Receipt> = []
    /// Whole batches that were refused.
    private(set) var refused: [(code: String, time: Int64)] = []
    private(set) var prunedBefore: Int64?

    init() {}

    /// What was put together elsewhere.
    init(
        _ batches: [SentBatch], facts: [String: LastingFacts],
        refused: [(code: String, time: Int64)], prunedBefore: Int64?
    ) {
        (self.batches, self.facts) = (batches, facts)
        (self.refused, self.prunedBefore) = (refused, prunedBefore)
    }

    /// In an order that does not change from run to run.
    var devices: [String] { facts.keys.sorted() }

    func place(of batch: SentBatch) -> Int? {
        batches.firstIndex { $0.device == batch.device && $0.id == batch.id }
    }

    mutating func store(_ batch: SentBatch) {
        batches.append(batch)
        facts[batch.device, default: LastingFacts()].add(batch)
    }

    mutating func countRepeat(ofBatchAt place: Int, at time: Int64, bytes: Int64) {
        batches[place].repeats.append((time, bytes))
    }

    mutating func refuse(_ code: String, at time: Int64) { refused.append((code, time)) }

    // MARK: - prune

    /// - Returns: how many events go, and how many words with them
    mutating func prune(
        before limit: Int64, now: Int64, timeout: Int64
    ) -> (events: Int64, names: Int64) {
        prunedBefore = max(limit, prunedBefore ?? limit)
        let words = Self.words(batches)
        let devices = Dictionary(grouping: Twin.events(of: batches), by: \.batch.device)
        var gone: Set<[String]> = []
        for event in devices.values.flatMap({
            Self.doomed($0, limit: limit, now: now, timeout: timeout)
        }) {
            facts[event.batch.device]?.keep(event)
            gone.insert([event.batch.device, event.batch.id, "\(event.index)"])
        }
        for place in batches.indices {
            let batch = batches[place]
            for offset in batch.events.indices
            where gone.contains([batch.device, batch.id, "\(batch.firstIndex + offset)"]) {
                batches[place].pruned.insert(offset)
            }
        }
        return (Int64(gone.count), Int64(words.subtracting(Self.words(batches)).count))
    }

    /// Of one device's events those of sessions that ended before the limit, and those without a session
    /// from before it.
    private static func doomed(
        _ events: [Twin.Event], limit: Int64, now: Int64, timeout: Int64
    ) -> [Twin.Event] {
        // Bytes: `String`s that Unicode calls equal are two sessions.
        Dictionary(grouping: events) { $0.event.session.map { Array($0.utf8) } }
            .flatMap { session, events in
                if session == nil { return events.filter { $0.event.time < limit } }
                let sorted = events.sorted { $0.precedes($1, byKind: true) }
                guard let last = sorted.last?.event, last.time < limit,
                    !Twin.isForeground(after: sorted[...]) || now - last.time >= timeout
                else { return [] }
                return events
            }
    }

    /// Names of events and keys of attributes. A batch keeps the keys of deleted events as long as it
    /// has others.
    private static func words(_ batches: [SentBatch]) -> Set<[String]> {
        Set(
            batches.filter { !$0.left.isEmpty }.flatMap { batch in
                batch.left.map { ["name", $0.event.name] }
                    + batch.events.flatMap { $0.attributes.map { ["key", $0.key] } }
            })
    }

    // MARK: - erasure

    /// Nil where there is no such device.
    mutating func erase(_ device: String, now: Int64) -> ErasedDevice? {
        guard facts.removeValue(forKey: device) != nil else { return nil }
        let own = batches.filter { $0.device == device }
        batches.removeAll { $0.device == device }
        receipts.insert(
            Receipt(device: device, moment: max(now, own.map(\.receivedAt).max() ?? 0) + 1))
        var erased = ErasedDevice()
        erased.batches = Int64(own.count)
        erased.events = Int64(own.reduce(0) { $0 + $1.left.count })
        erased.names = Int64(Self.words(own).subtracting(Self.words(batches)).count)
        erased.resources = Int64(
            Self.resources(own).subtracting(Self.resources(batches)).count)
        return erased
    }

    private static func resources(_ batches: [SentBatch]) -> Set<[[UInt8]]> {
        Set(
            batches.map { batch in
                ["os.name", "os.version"].map { Array((batch.resource[$0] ?? "").utf8) }
            })
    }

    /// What a restore of a copy with this state makes of it: what receipts name goes again.
    /// - Parameter others: receipts that are where it is restored to
    /// - Returns: how many devices were erased
    mutating func replay(_ others: Set<Receipt>) -> Int {
        receipts.formUnion(others)
        let moments = Dictionary(
            receipts.map { ($0.device, $0.moment) }, uniquingKeysWith: max)
        var count = 0
        for (device, moment) in moments {
            let own = batches.filter { $0.device == device }
            let old = own.filter { $0.receivedAt < moment }
            if old.isEmpty { continue }
            count += 1
            batches.removeAll { $0.device == device && $0.receivedAt < moment }
            if old.count == own.count {
                facts[device] = nil
            } else {
                facts[device]?.forget(old, left: own.filter { $0.receivedAt >= moment })
            }
        }
        return count
    }
}
