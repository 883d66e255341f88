import Database
import Storage

/// Sessions by how long they were. Its state is counts and sets of devices: merging is adding and union.
enum LengthsQuery {
    private struct Lengths: ReportShare {
        private let edges: [Int64]
        var sessions = SessionCounts()
        var devices: DevicesByGroup

        init(_ edges: [Int64], _ account: ReportAccount) {
            self.edges = edges
            devices = DevicesByGroup(account)
        }

        mutating func add(_ session: SessionScan.Found) {
            guard let length = edges.lastIndex(where: { $0 <= session.fold.duration }) else {
                return
            }
            sessions.add(1, length)
            if !session.isShared { devices.insert(session.device, into: length) }
        }

        mutating func merge(_ other: Lengths) throws(StorageError) {
            sessions.merge(other.sessions)
            try devices.merge(other.devices, groups: Array(edges.indices))
        }
    }

    static func run(
        _ scope: QueryScope, edges: [Int64], _ reading: Reading
    ) throws(StorageError) -> [LengthSums] {
        var lengths = try SessionScan(scope, reading).collect(
            Lengths(edges, reading.account), reading
        ) { lengths, session in lengths.add(session) }
        try reading.check()
        return lengths.devices.counts(of: edges.count).enumerated().map { length, devices in
            var sums = LengthSums()
            (sums.sessions, sums.devices) = (lengths.sessions.of(length), devices)
            return sums
        }
    }
}
