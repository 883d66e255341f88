import Database

/// Whole batches that were refused for one reason in one quarter hour.
package struct RefusalCount: Sendable, Equatable {
    /// Row id.
    package let app: Int64
    /// As `QuarterHour` counts.
    package let quarter: Int64
    /// As on the wire.
    package let code: String
    /// How many.
    package let batches: Int64

    /// All of it as given.
    package init(app: Int64, quarter: Int64, code: String, batches: Int64) {
        self.app = app
        self.quarter = quarter
        self.code = code
        self.batches = batches
    }
}

extension StoreWriter {
    /// Adds to what has been counted. Waits for the writer.
    /// - Throws: `closed`, and what keeps the writer from writing; then nothing was added.
    package func add(_ refusals: [RefusalCount]) throws(StorageError) {
        try perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                let row = try connection.prepare(
                    """
                    INSERT INTO refusal (app, quarter, code, batches, checksum)
                    VALUES (?1, ?2, ?3, ?4, \(CheckedTable.refusal.expression("?1, ?2, ?3, ?4")))
                    ON CONFLICT DO UPDATE
                    SET batches = batches + ?4,
                        checksum = \(CheckedTable.refusal.expression(
                            "app, quarter, code, batches + ?4"))
                    """)
                for refusal in refusals {
                    try row.bind(1, refusal.app)
                    try row.bind(2, refusal.quarter)
                    try row.bind(3, refusal.code)
                    try row.bind(4, refusal.batches)
                    try row.run()
                }
            }
        }
    }
}

/// Quarter hours since 1970-01-01T00:00:00Z: what is counted by arrival is counted by these, since every
/// time zone of today is off by a whole number of them.
package enum QuarterHour {
    /// Milliseconds.
    package static let length: Int64 = 900_000

    /// The quarter hour in which a moment lies, in milliseconds since 1970.
    package static func number(of moment: Int64) -> Int64 {
        moment >= 0 ? moment / length : (moment + 1) / length - 1
    }
}
