import Events
import Synchronization

/// How many fingerprints are held in memory, of all devices. From any thread: a comparison may end on another.
final class FingerprintCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ more: Int) { count.wrappingAdd(more, ordering: .relaxed) }
}

/// All fingerprints that a device has stored, in memory: for devices with so many batches that going through them for
/// each further one would take long.
final class DeviceRecords {
    /// By fingerprint: how many are stored (the lower 16 bits; no batch has more events than 8,192), and the first
    /// batch of those that were looked at which has it.
    private var known: [UInt64: UInt64] = [:]
    /// When it was used last, by a count of uses.
    var lastUse = 0
    private let held: FingerprintCount

    /// - Parameter held: counts its different fingerprints, some 30 bytes each, as long as it lives
    init(_ held: FingerprintCount) { self.held = held }

    deinit { held.add(-known.count) }

    func add(_ fingerprint: UInt64, of batch: Int64) {
        guard let old = known[fingerprint] else {
            known[fingerprint] = UInt64(bitPattern: batch) << 16 | 1
            held.add(1)
            return
        }
        known[fingerprint] = old &+ 1
    }

    /// How often it is stored, and a batch that has it; nil: not at all.
    func find(_ fingerprint: UInt64) -> (times: UInt32, batch: Int64)? {
        known[fingerprint].map { (UInt32($0 & 0xffff), Int64($0 >> 16)) }
    }
}
