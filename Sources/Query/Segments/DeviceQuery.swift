import Database
import Events
import Storage

/// A summary of what is stored of one device.
enum DeviceQuery {
    /// Nil where the app has no such device.
    static func run(
        _ device: DeviceHash, of app: QueryApp, _ reading: Reading
    ) throws(StorageError) -> DeviceRecord? {
        guard let row = try DeviceRow.find(device, of: app, reading) else { return nil }
        let sums = try reading.prepare(
            """
            SELECT count(*), total(b.rejected), min(b.first_time), max(b.last_time),
                min(b.received_at), max(b.received_at)
            FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND b.id = k.batch
            """)
        try sums.bind(1, row.id)
        _ = try sums.step()
        let counts = try reading.prepare(
            """
            SELECT count(*), count(DISTINCT b.sessions ->> e.session)
            FROM device_batch AS k CROSS JOIN batch AS b CROSS JOIN event AS e
            WHERE k.device = ?1 AND b.id = k.batch
                AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            """)
        try counts.bind(1, row.id)
        _ = try counts.step()
        return DeviceRecord(
            device: device, isShared: row.isShared, firstSeen: row.firstSeen,
            firstEvent: sums.optionalInt(2), lastEvent: sums.optionalInt(3),
            firstArrival: sums.optionalInt(4), lastArrival: sums.optionalInt(5),
            batches: sums.int(0), events: counts.int(0), rejected: sums.int(1),
            sessions: counts.int(1), resources: try resources(of: row.id, reading))
    }

    private static func resources(
        of device: Int64, _ reading: Reading
    ) throws(StorageError) -> [[ResourceMember]] {
        // By arrival and then by `batch_id`, whatever was stored first: so several nodes say the same.
        let rows = try reading.prepare(
            """
            SELECT r.os_name, r.os_version, r.device_model, r.device_manufacturer,
                r.service_version, r.app_build_id, r.sdk_name, r.sdk_version
            FROM resource AS r
            JOIN (
                SELECT resource, min(format('%020d', b.received_at) || b.batch_id) AS first
                FROM device_batch AS k CROSS JOIN batch AS b
                WHERE k.device = ?1 AND b.id = k.batch GROUP BY resource
            ) AS b ON b.resource = r.id
            ORDER BY b.first
            """)
        try rows.bind(1, device)
        var resources: [[ResourceMember]] = []
        while try rows.step() { resources.append(ResourceMember.all(in: rows)) }
        return resources
    }
}

extension ResourceMember {
    /// Reads the members in the current row of a statement, whose first columns are
    /// `Resource.members`.
    static func all(in row: borrowing Statement) -> [ResourceMember] {
        Resource.members.enumerated().compactMap { column, name in
            let value = ByteText(bytes: row.blob(Int32(column)))
            return value.bytes.isEmpty ? nil : ResourceMember(name: name, value: value)
        }
    }
}
