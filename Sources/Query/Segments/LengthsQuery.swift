import Database
import Storage

/// Sessions by how long they were. Its state is counts and sets of devices: merging is adding and union.
enum LengthsQuery {
    private struct Lengths: ReportShare {
        private let edges: [Int64]
        var sessions: [Int]
        var devices: DevicesByGroup

        init(_ edges: [Int64], _ account: ReportAccount) {
            self.edges = edges
            sessions = [Int](repeating: 0, count: edges.count)
            devices = DevicesByGroup(account)
        }

        mutating func add(_ session: SessionScan.Found) {
            guard let length = edges.lastIndex(where: { $0 <= session.fold.duration }) else {
                return
            }
            sessions[length] += 1
            if !session.isShared { devices.insert(session.device, into: length) }
        }

        mutating func merge(_ other: Lengths) throws(StorageError) {
            for length in sessions.indices { sessions[length] += other.sessions[length] }
            try devices.merge(other.devices, groups: Array(sessions.indices))
        }
    }

    static func run(
        _ scope: QueryScope, edges: [Int64], _ reading: Reading
    ) throws(StorageError) -> [LengthSums] {
        var lengths = try SessionScan(scope, reading).collect(
            Lengths(edges, reading.account), reading
        ) { lengths, session in lengths.add(session) }
        try reading.check()
        return zip(lengths.sessions, lengths.devices.counts(of: edges.count)).map {
            var sums = LengthSums()
            (sums.sessions, sums.devices) = ($0, $1)
            return sums
        }
    }
}
