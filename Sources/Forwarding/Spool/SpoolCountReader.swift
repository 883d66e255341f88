import Database
import Engine
import Storage
import Upkeep

/// Reads sums that have changed into rows of the engine, on a connection of its own that reads. One thread at a
/// time may use it.
package final class SpoolCountReader {
    /// Rows of one reading.
    package static let limit = 4_096

    private let connection: Connection
    private let node: [UInt8]
    private var words: SpoolWords

    /// - Parameter node: the node's name
    package init(_ connection: Connection, node: String) throws(StorageError) {
        self.connection = connection
        self.node = Array(node.utf8)
        words = try SpoolWords(connection)
    }

    /// Sums that have changed. A unit has what had been counted of its batches in the quarter of an hour in
    /// which they were stored; all else is here.
    /// - Parameters:
    ///   - batch: the last one that was handed over: repeats of later ones are left out
    ///   - shards: how many there are
    package func counts(
        upTo batch: Int64, shards: Int, limit: Int = SpoolCountReader.limit
    ) throws(StorageError) -> SpoolCounts {
        try connection.snapshot { () throws(StorageError) in
            words.forget()
            var counts = SpoolCounts(
                arrivals: Array(repeating: RowBinary.Writer(), count: max(1, shards)))
            try addRepeats(upTo: batch, limit: limit, to: &counts)
            try addRefusals(limit: limit, to: &counts)
            return counts
        }
    }

    private func addRepeats(
        upTo batch: Int64, limit: Int, to counts: inout SpoolCounts
    ) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT c.app, c.quarter, c.batch, r.times, r.body_bytes, b.batch_id, b.received_at,
                b.resource, b.body_bytes, d.hash, \(DeviceSplit.isErasing)
            FROM repeat_change AS c
                LEFT JOIN repeat AS r USING (app, quarter, batch)
                LEFT JOIN batch AS b ON b.id = c.batch
                LEFT JOIN device AS d ON d.id = b.device
            WHERE c.batch <= ?1 AND c.handed_over IS NULL LIMIT ?2
            """)
        try rows.bind(1, batch)
        try rows.bind(2, Int64(limit))
        while try rows.step() {
            let times = rows.int(3)
            counts.repeatKeys.append((rows.int(0), rows.int(1), rows.int(2), times))
            // It is gone, or its device is being erased.
            guard !rows.isNull(3), !rows.isNull(6), rows.int(10) == 0 else { continue }
            guard let device = rows.withBlob(9, { DeviceKey($0) }) else {
                throw .damaged(path: connection.path, found: "a device has a hash that is none")
            }
            var row = ArrivalRow(
                app: try words.app(rows.int(0)), quarter: rows.int(1), device: device,
                batchID: rows.blob(5), node: node, times: UInt64(clamping: times),
                bodyBytes: rows.int(4), resource: try words.resource(rows.int(7)))
            if row.quarter == QuarterHour.number(of: rows.int(6)) {
                row.times += 1
                row.bodyBytes = row.bodyBytes.addingSaturated(rows.int(8))
            }
            row.append(to: &counts.arrivals[device.shard(of: counts.arrivals.count)])
        }
    }

    private func addRefusals(limit: Int, to counts: inout SpoolCounts) throws(StorageError) {
        let rows = try connection.prepare(
            """
            SELECT c.app, c.quarter, c.code, r.batches
            FROM refusal_change AS c LEFT JOIN refusal AS r USING (app, quarter, code)
            WHERE c.handed_over IS NULL LIMIT ?1
            """)
        try rows.bind(1, Int64(limit))
        while try rows.step() {
            let code = rows.blob(2)
            counts.refusalKeys.append((rows.int(0), rows.int(1), code, rows.int(3)))
            if rows.isNull(3) { continue }
            RefusalRow(
                app: try words.app(rows.int(0)), quarter: rows.int(1), code: code, node: node,
                batches: UInt64(clamping: rows.int(3))
            ).append(to: &counts.refusals)
        }
    }
}
