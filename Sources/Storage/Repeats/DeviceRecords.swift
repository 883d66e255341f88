import Events

/// All fingerprints that a device has stored, in memory: for devices with so many batches that going through them for
/// each further one would take long.
final class DeviceRecords {
    /// By fingerprint: how many are stored (the lower 16 bits; no batch has more events than 8,192), and the first
    /// batch of those that were looked at which has it.
    private var known: [UInt64: UInt64] = [:]
    /// When it was used last, by a count of uses.
    var lastUse = 0

    /// How many different ones there are: some 30 bytes each.
    var count: Int { known.count }

    func add(_ fingerprint: UInt64, of batch: Int64) {
        guard let old = known[fingerprint] else {
            known[fingerprint] = UInt64(bitPattern: batch) << 16 | 1
            return
        }
        known[fingerprint] = old &+ 1
    }

    /// How often it is stored, and a batch that has it; nil: not at all.
    func find(_ fingerprint: UInt64) -> (times: UInt32, batch: Int64)? {
        known[fingerprint].map { (UInt32($0 & 0xffff), Int64($0 >> 16)) }
    }
}
