import Engine
import Events
import Query

/// What is stored of one device.
struct DeviceQuestion {
    private let device: DeviceHash
    private let isOwn: String

    init(_ device: DeviceHash, of app: QueryApp) {
        self.device = device
        isOwn = "app = \(SQL.quoted(app.name)) AND device = \(SQL.device(device.bytes))"
    }

    /// The one shard that can have it.
    private func shard(_ asking: borrowing Asking) -> Int {
        DeviceKey(high: device.high, low: device.low).shard(of: asking.shards)
    }

    /// Whether the app has it.
    func isKnown(_ asking: inout Asking) throws(QueryError) -> Bool {
        let shard = shard(asking)
        return try asking.rows(
            "SELECT toUInt8(1) FROM batch WHERE \(isOwn) LIMIT 1", shard: shard
        ) { (row) throws(RowFailure) in try row.uint8() }.isEmpty == false
    }

    private static let columns = [
        "os_name", "os_version", "device_model", "device_manufacturer", "service_version",
        "app_build_id", "sdk_name", "sdk_version",
    ].joined(separator: ", ")

    /// Nil where the app has no such device.
    func ask(_ asking: inout Asking) throws(QueryError) -> DeviceRecord? {
        let shard = shard(asking)
        let resources = try asking.rows(
            """
            SELECT \(Self.columns) FROM (SELECT \(Self.columns), min(received_at) AS t, \
            argMin(batch_id, (received_at, batch_id)) AS id FROM batch FINAL WHERE \(isOwn) \
            GROUP BY \(Self.columns)) ORDER BY t, id
            """, shard: shard
        ) { (row) throws(RowFailure) in try Self.members(&row) }
        let device = device
        let rows = try asking.rows(
            """
            SELECT count(), max(shared), countIf(first_time != 0), \
            minIf(first_time, first_time != 0), sum(length(event.time)), \
            minIf(arrayReduce('min', event.time), notEmpty(event.time)), \
            maxIf(arrayReduce('max', event.time), notEmpty(event.time)), min(received_at), \
            max(received_at), sum(rejected), \
            uniqExactArray(arrayFilter(s -> s != '', event.session)) \
            FROM batch FINAL WHERE \(isOwn)
            """, shard: shard
        ) { (row) throws(RowFailure) in
            try Self.record(device, resources: resources, &row)
        }
        return rows.first.flatMap { $0 }
    }

    private static func record(
        _ device: DeviceHash, resources: [[ResourceMember]], _ row: inout RowBinary.Reader
    ) throws(RowFailure) -> DeviceRecord? {
        let batches = Int64(clamping: try row.uint64())
        let isShared = try row.uint8() != 0
        let wasSeen = try row.uint64() > 0
        let seen = try row.int64()
        let events = Int64(clamping: try row.uint64())
        let (first, last) = (try row.int64(), try row.int64())
        let (firstArrival, lastArrival) = (try row.int64(), try row.int64())
        let rejected = Int64(clamping: try row.uint64())
        let sessions = Int64(clamping: try row.uint64())
        if batches == 0 { return nil }
        return DeviceRecord(
            device: device, isShared: isShared, firstSeen: wasSeen ? seen : nil,
            firstEvent: events > 0 ? first : nil, lastEvent: events > 0 ? last : nil,
            firstArrival: firstArrival, lastArrival: lastArrival, batches: batches,
            events: events, rejected: rejected, sessions: sessions, resources: resources)
    }

    /// Reads the eight columns of a resource: the members that were given.
    static func members(_ row: inout RowBinary.Reader) throws(RowFailure) -> [ResourceMember] {
        var members: [ResourceMember] = []
        for name in Resource.members {
            let value = try row.text()
            if !value.bytes.isEmpty { members.append(ResourceMember(name: name, value: value)) }
        }
        return members
    }
}
