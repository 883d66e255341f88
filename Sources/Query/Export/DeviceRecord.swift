import Database
import Events
import Storage

/// What is kept of one device, in short.
package struct DeviceRecord: Sendable, Equatable {
    /// A member of a batch's resource and its text.
    package struct Member: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    /// Its hash.
    package let device: DeviceHash
    /// It is many.
    package let isShared: Bool
    /// Its earliest event ever, also one that was pruned; milliseconds since 1970-01-01T00:00:00Z, as
    /// all moments here; nil without an event.
    package let firstSeen: Int64?
    /// Of the events that are there.
    package let firstEvent, lastEvent: Int64?
    /// Of its batches.
    package let firstArrival, lastArrival: Int64?
    /// Stored batches.
    package let batches: Int64
    /// Events that are there: without those that were pruned.
    package let events: Int64
    /// Events of its batches that were not taken.
    package let rejected: Int64
    /// Sessions of the events that are there.
    package let sessions: Int64
    /// What its batches said, each once, the oldest first; members that they gave.
    package let resources: [[Member]]

    /// Nil where the app has no such device.
    package static func read(
        _ device: DeviceHash, of app: QueryApp, _ connection: Connection
    ) throws(StorageError) -> DeviceRecord? {
        let reading = Reading(connection, Interruption())
        return try reading.transaction { () throws(StorageError) in
            guard let row = try DeviceRow.find(device, of: app, reading) else { return nil }
            return try DeviceRecord(device, row, reading)
        }
    }

    private init(
        _ device: DeviceHash, _ row: DeviceRow, _ reading: Reading
    ) throws(StorageError) {
        self.device = device
        isShared = row.isShared
        firstSeen = row.firstSeen
        let sums = try reading.prepare(
            """
            SELECT count(*), total(b.rejected), min(b.first_time), max(b.last_time),
                min(b.received_at), max(b.received_at)
            FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND b.id = k.batch
            """)
        try sums.bind(1, row.id)
        _ = try sums.step()
        batches = sums.int(0)
        rejected = sums.int(1)
        (firstEvent, lastEvent) = (sums.optionalInt(2), sums.optionalInt(3))
        (firstArrival, lastArrival) = (sums.optionalInt(4), sums.optionalInt(5))
        let counts = try reading.prepare(
            """
            SELECT count(*), count(DISTINCT b.sessions ->> e.session)
            FROM device_batch AS k CROSS JOIN batch AS b CROSS JOIN event AS e
            WHERE k.device = ?1 AND b.id = k.batch
                AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            """)
        try counts.bind(1, row.id)
        _ = try counts.step()
        (events, sessions) = (counts.int(0), counts.int(1))
        resources = try Self.resources(of: row.id, reading)
    }

    private static func resources(
        of device: Int64, _ reading: Reading
    ) throws(StorageError) -> [[Member]] {
        let rows = try reading.prepare(
            """
            SELECT r.os_name, r.os_version, r.device_model, r.device_manufacturer,
                r.service_version, r.app_build_id, r.sdk_name, r.sdk_version
            FROM resource AS r
            JOIN (
                SELECT resource, min(id) AS first FROM device_batch AS k CROSS JOIN batch AS b
                WHERE k.device = ?1 AND b.id = k.batch GROUP BY resource
            ) AS b ON b.resource = r.id
            ORDER BY b.first
            """)
        try rows.bind(1, device)
        var resources: [[Member]] = []
        while try rows.step() {
            let members = Resource.members.enumerated().map {
                Member(name: $1, value: rows.text(Int32($0)))
            }
            resources.append(members.filter { !$0.value.isEmpty })
        }
        return resources
    }
}
