import Synchronization

/// A count that one thread alone adds to and any may read: an addition in its cache, no locked
/// instruction.
final class LoopCount: Sendable {
    private let count = Atomic<Int>(0)

    /// On its loop's thread only.
    func add(_ more: Int) {
        count.store(count.load(ordering: .relaxed) &+ more, ordering: .relaxed)
    }

    var value: Int { count.load(ordering: .relaxed) }
}
