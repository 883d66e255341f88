import Database

/// Tables whose every row has a checksum of its own in its last column: facts of which nothing else in
/// the database tells. Rows of batches have one checksum a batch, `batch.checksum`.
package enum CheckedTable: String, CaseIterable, Sendable {
    case meta, app, key, token, device, refusal, completion, segment, segmented
    case keyUse = "key_use"
    case repeats = "repeat"
    case fingerprints = "fingerprint"
    case segmentAttributes = "segment_attributes"
    case migrations = "schema_migration"

    /// What the checksum covers, in order: all columns but it and `id`, which an index repeats.
    private var columns: String {
        switch self {
        case .meta: "name, value"
        case .app: "name, title, time_zone, session_timeout_ms, allow_plain, created_at"
        case .key: "name, app, profile, alg, wrapped, created_at, revoked_at"
        case .token: "name, hash, scope, app, created_at, revoked_at"
        case .device:
            "app, hash, shared, first_time, first_batch_id, first_index, first_resource"
        case .refusal: "app, quarter, code, batches"
        case .completion: "device, content, time, event"
        case .segment: "app, day, events, parts, sessions, times, names, subjects"
        case .segmented: "app, last_batch"
        case .keyUse: "key, batches, last_used"
        case .repeats: "app, quarter, batch, times, body_bytes"
        case .fingerprints: "batch, list"
        case .segmentAttributes: "id, of, columns"
        case .migrations: "version, name, sha256, applied_at"
        }
    }

    /// By what a person finds the row, as SQL. Names are the operator's, ids are numbers.
    package var identity: String {
        switch self {
        case .meta, .app, .key, .token: "name"
        case .device: "id"
        case .refusal: "'of app ' || app || ', quarter ' || quarter"
        case .completion: "'of device ' || device"
        case .segment: "'of app ' || app || ', day ' || day"
        case .segmented: "'of app ' || app"
        case .keyUse: "key"
        case .repeats: "'of batch ' || batch || ', quarter ' || quarter"
        case .fingerprints: "'of batch ' || batch"
        case .segmentAttributes: "'of segment ' || id"
        case .migrations: "version"
        }
    }

    /// The checksum of a statement's current row, as SQL.
    package var expression: String { expression(columns) }

    /// The same of other values, in the order of the columns: `row_checksum('app', ?1, …)`.
    package func expression(_ values: String) -> String { "row_checksum('\(rawValue)', \(values))" }

    /// A statement that sets the checksum of the rows for which `condition` holds.
    package func refresh(where condition: String) -> String {
        "UPDATE \"\(rawValue)\" SET checksum = \(expression) WHERE \(condition)"
    }
}

extension Connection {
    /// Sets a single fact about the database.
    package func setFact(_ name: String, _ value: Int64) throws(StorageError) {
        let row = try prepareFact()
        try row.bind(1, name)
        try row.bind(2, value)
        try row.run()
    }

    /// The same of bytes.
    package func setFact(_ name: String, _ value: [UInt8]) throws(StorageError) {
        let row = try prepareFact()
        try row.bind(1, name)
        try row.bindBlob(2, value)
        try row.run()
    }

    /// From now on nothing is known of it.
    package func removeFact(_ name: String) throws(StorageError) {
        let row = try prepare("DELETE FROM meta WHERE name = ?1")
        try row.bind(1, name)
        try row.run()
    }

    private func prepareFact() throws(StorageError) -> Statement {
        try prepare(
            """
            INSERT INTO meta (name, value, checksum)
            VALUES (?1, ?2, \(CheckedTable.meta.expression("?1, ?2")))
            ON CONFLICT DO UPDATE SET value = excluded.value, checksum = excluded.checksum
            """)
    }
}

extension CheckedTable {
    /// Whether a statement's current row is what was written, as SQL: 1 or 0. A value that no
    /// program has written is no evidence of an older program or another key.
    var soundness: String { "checksum IS \(expression)" }
}
