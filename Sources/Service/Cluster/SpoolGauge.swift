import Synchronization

/// How much of the spool is not handed over, in bytes of bodies as sent, and whether that is too much for
/// further batches (docs/scale.md, Settings: `max-spool-bytes`). Usable from any thread.
final class SpoolGauge: Sendable {
    private let limit: Int
    private let waiting = Atomic(0)

    /// - Parameter limit: bytes
    init(limit: Int) { self.limit = limit }

    /// No further batch is to be stored.
    var isFull: Bool { waiting.load(ordering: .relaxed) > limit }

    /// A batch was stored.
    func add(_ bytes: Int64) { waiting.add(Int(clamping: bytes), ordering: .relaxed) }

    /// The forwarder has counted.
    func set(_ bytes: Int64) { waiting.store(Int(clamping: bytes), ordering: .relaxed) }
}
