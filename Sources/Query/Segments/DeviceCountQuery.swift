import Database
import Storage

/// Counts the devices with an event that a question is about, up to a limit: whether a group is small
/// needs no more. Its state is a set of devices; it merges by union, so neither order nor repetition
/// matters.
enum DeviceCountQuery {
    /// The devices that one thread has found.
    private struct Found: ReportShare {
        private var devices: Set<Int64> = []
        private var held: HeldBytes

        /// Bytes that a device takes in the set, about.
        private static let deviceBytes = 16

        init(_ account: ReportAccount) { held = HeldBytes(account) }

        var count: Int { devices.count }

        func contains(_ device: Int64) -> Bool { devices.contains(device) }

        mutating func insert(_ device: Int64) {
            let before = devices.capacity
            devices.insert(device)
            held.add((devices.capacity - before) * Self.deviceBytes)
        }

        mutating func merge(_ other: Found) {
            for device in other.devices { insert(device) }
        }
    }

    /// - Parameter name: of the events; nil: any
    static func run(
        _ scope: QueryScope, sending name: ByteText?, upTo limit: Int, _ reading: Reading
    ) throws(StorageError) -> Int {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let list = try EventList(scope, names: name.map { [$0] }, times: false, reading)
        let (none, isNamed) = (Found(reading.account), name != nil)
        let found = try reading.inParallel { () throws(StorageError) in
            var found = none
            if isNamed {
                var scan = EventScan(list)
                while found.count < limit,
                    try scan.next(of: { !shared.contains($0) && !found.contains($0) })
                {
                    found.insert(scan.device)
                }
            } else {
                var scan = NameScan(list, nil)
                while found.count < limit, try scan.next() {
                    if !shared.contains(scan.device) { found.insert(scan.device) }
                }
            }
            return found
        }
        return min(found.count, limit)
    }
}
