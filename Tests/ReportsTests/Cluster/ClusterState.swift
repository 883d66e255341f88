import Storage
import StoreTestSupport

/// What several nodes and their engine must have after all that was done to them: the model. All of it together
/// is what one node has that got every batch.
struct ClusterState {
    /// A batch as one node stored it.
    private struct Copy {
        let node: Int
        /// With what came to that node again.
        var batch: SentBatch
        /// Whether the node has it still: it may have dropped it since it handed it over.
        var isHeld = true

        func isOf(_ other: SentBatch) -> Bool {
            batch.device == other.device && batch.id == other.id
        }
    }

    private var copies: [Copy] = []
    private var refused: [(code: String, time: Int64)] = []
    private(set) var prunedBefore: Int64?

    /// Batches of which an event or only the arrival is known somewhere, as they were sent.
    func isKnown(_ batch: SentBatch) -> Bool { copies.contains { $0.isOf(batch) } }

    /// What one node has that got everything: of several copies the one that arrived first, by the nodes' clocks.
    /// All others are repeats of it.
    var alone: ModelState {
        var batches: [SentBatch] = []
        var facts: [String: LastingFacts] = [:]
        for group in Dictionary(grouping: copies, by: { [$0.batch.device, $0.batch.id] }).values {
            let sorted = group.map(\.batch).sorted { $0.receivedAt < $1.receivedAt }
            guard var first = sorted.first else { continue }
            for other in sorted.dropFirst() {
                first.repeats += [(other.receivedAt, other.bytes)] + other.repeats
            }
            batches.append(first)
            var whole = first
            whole.pruned = []
            facts[first.device, default: LastingFacts()].add(whole)
        }
        // Dictionaries have another order in each process.
        batches.sort { ($0.receivedAt, $0.device, $0.id) < ($1.receivedAt, $1.device, $1.id) }
        for batch in batches where !batch.pruned.isEmpty {
            var gone = batch
            gone.pruned = Set(batch.events.indices).subtracting(batch.pruned)
            for event in Twin.events(of: [gone]) { facts[batch.device]?.keep(event) }
        }
        return ModelState(batches, facts: facts, refused: refused, prunedBefore: prunedBefore)
    }

    /// A batch comes to a node.
    /// - Returns: what the node answers
    mutating func post(_ batch: SentBatch, at node: Int) -> WriteOutcome {
        let index = copies.firstIndex { $0.node == node && $0.isHeld && $0.isOf(batch) }
        guard let index else {
            copies.append(Copy(node: node, batch: batch))
            return .stored
        }
        let first = copies[index].batch
        copies[index].batch.repeats.append((batch.receivedAt, batch.bytes))
        return .duplicate(accepted: first.events.count, rejected: first.rejected.count)
    }

    mutating func refuse(_ code: String, at time: Int64) { refused.append((code, time)) }

    /// A node drops what it has.
    mutating func drop(at node: Int, unless isKept: (SentBatch) -> Bool = { _ in false }) {
        for index in copies.indices where copies[index].node == node {
            if !isKept(copies[index].batch) { copies[index].isHeld = false }
        }
    }

    /// Batches that a node has.
    func held(by node: Int) -> [SentBatch] {
        copies.filter { $0.node == node && $0.isHeld }.map(\.batch)
    }

    /// A node has again what a copy of it had; what it stored since was handed over, and is no more there.
    mutating func restore(_ held: [SentBatch], at node: Int) {
        for index in copies.indices where copies[index].node == node {
            copies[index].isHeld = held.contains { other in
                copies[index].isOf(other) && copies[index].batch.receivedAt == other.receivedAt
            }
        }
    }

    /// What arrived of a device before a moment goes.
    mutating func erase(_ device: String, before moment: Int64) {
        copies.removeAll { $0.batch.device == device && $0.batch.receivedAt < moment }
    }

    /// - Returns: how many events go
    mutating func prune(before limit: Int64, now: Int64, timeout: Int64) -> Int64 {
        var one = alone
        let gone = one.prune(before: limit, now: now, timeout: timeout)
        prunedBefore = one.prunedBefore
        for batch in one.batches {
            for index in copies.indices where copies[index].isOf(batch) {
                copies[index].batch.pruned = batch.pruned
            }
        }
        return gone.events
    }
}
