import Database
import Events
import Storage

extension DeviceSplit {
    /// A device's first event, as its row has it.
    private struct First: Sendable {
        let time: Int64
        let batchID: String
        let index: Int64
        let resource: Int64
    }

    /// The device keeps its first event, unless that goes: then it is the first of what is left. That it is shared
    /// stays: which of its batches said so is not known any more.
    func end(by steps: any StepRunner, _ reader: Connection) throws(StorageError) {
        let newest = try reader.integer("SELECT max(id) FROM batch") ?? 0
        let lost = try lostFirst(reader)
        let next = lost == nil ? nil : try firstLeft(reader)
        _ = try steps.step(keeping: .none) { [self] (connection) throws(StorageError) in
            if let lost { try replace(lost, by: next, orLaterThan: newest, connection) }
            try Self.forget(old, connection)
            try connection.noteRemoval(ofDevice: device)
        }
    }

    /// The batch id of the device's first event, where that goes; not where a prune has deleted its batch's events alone.
    private func lostFirst(_ reader: Connection) throws(StorageError) -> String? {
        let find = try reader.prepare(
            """
            SELECT d.first_batch_id FROM device AS d WHERE d.id = ?1 AND (\(Self.isFirstGone)
                OR EXISTS (
                    SELECT 1 FROM repeat_key AS k CROSS JOIN batch AS b
                    WHERE k.device = ?3 AND b.id = k.batch AND b.batch_id = d.first_batch_id))
            """)
        try find.bind(1, device)
        try find.bind(2, moment)
        try find.bind(3, old)
        return try find.step() ? find.optionalText(0) : nil
    }

    /// SQL: whether the first event of the device `d`, its row ?1, was before the moment ?2, and its batch is not the
    /// device's any more: a spool that was emptied had it.
    static let isFirstGone = """
        (d.first_time < ?2 AND NOT EXISTS (
            SELECT 1 FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ?1 AND b.id = k.batch AND b.device = ?1
                AND b.batch_id = d.first_batch_id))
        """

    private func firstLeft(_ reader: Connection) throws(StorageError) -> First? {
        let find = try reader.prepare(
            """
            SELECT b.received_at - e.late, b.batch_id, \(EventID.indexSQL("e.id")), b.resource
            FROM device_batch AS k CROSS JOIN batch AS b CROSS JOIN event AS e
            WHERE k.device = ?1 AND b.id = k.batch AND b.device = ?1
                AND \(EventID.isSQL("e.id", ofBatch: "b.id"))
            ORDER BY 1, 2, 3 LIMIT 1
            """)
        try find.bind(1, device)
        guard try find.step() else { return nil }
        return First(
            time: find.int(0), batchID: find.text(1), index: find.int(2), resource: find.int(3))
    }

    /// - Parameters:
    ///   - lost: as it was found
    ///   - batch: those after it were stored since
    private func replace(
        _ lost: String, by next: First?, orLaterThan batch: Int64, _ connection: Connection
    ) throws(StorageError) {
        let update = try connection.prepare(
            """
            UPDATE device SET (first_time, first_batch_id, first_index, first_resource) = (
                SELECT time, batch_id, place, resource FROM (
                    SELECT ?4 AS time, ?5 AS batch_id, ?6 AS place, ?7 AS resource
                    WHERE ?4 IS NOT NULL
                    UNION ALL
                    SELECT b.received_at - e.late, b.batch_id, \(EventID.indexSQL("e.id")), b.resource
                    FROM batch AS b CROSS JOIN event AS e
                    WHERE b.id > ?2 AND b.device = ?1
                        AND \(EventID.isSQL("e.id", ofBatch: "b.id")))
                ORDER BY time, batch_id, place LIMIT 1)
            WHERE id = ?1 AND first_batch_id = ?3
            """)
        try update.bind(1, device)
        try update.bind(2, batch)
        try update.bind(3, lost)
        try update.bind(4, next?.time)
        try update.bind(5, next?.batchID)
        try update.bind(6, next?.index)
        try update.bind(7, next?.resource)
        try update.run()
        try connection.change(CheckedTable.device.refresh(where: "id = ?1"), device)
    }
}
