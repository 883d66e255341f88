import Synchronization

/// Whether the system's clock can be believed: one that is wrong would reject good events for ever
/// (docs/operation.md, Life of the process).
final class ArrivalClock: Sendable {
    /// How far before the newest stored arrival the clock may be, milliseconds.
    static let tolerance: Int64 = 86_400_000

    private let newest: Atomic<Int64>

    /// - Parameter newest: when the newest stored batch arrived, milliseconds since 1970
    init(newest: Int64) { self.newest = Atomic(newest) }

    /// False before the program was built, and more than a day before what has arrived already.
    func isPlausible(_ moment: Int64) -> Bool {
        moment >= BuildInfo.date && moment >= newest.load(ordering: .relaxed) - Self.tolerance
    }

    /// A batch that arrived then is stored.
    func note(_ arrival: Int64) { newest.max(arrival, ordering: .relaxed) }
}
