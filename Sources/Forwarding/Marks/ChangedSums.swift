import Database
import Storage

/// Sums of repeats and refusals that count as changed from now on, though nothing was added to them: tables
/// `repeat_change` and `refusal_change` (docs/schema.md). There may be millions: they are found by a connection that
/// reads, and noted some at a time. What is counted meanwhile is noted by whoever counts it.
enum ChangedSums {
    /// Runs work in a transaction of its own on a connection that writes.
    typealias Write = (
        _ work: @Sendable (Connection) throws(StorageError) -> Void
    ) throws(StorageError) -> Void

    /// Sums that are found and noted at once.
    static let sumsAtOnce = 4_096

    /// A table of sums, of which the last column of the key differs.
    private enum Table: String, CaseIterable {
        case repeats = "repeat"
        case refusals = "refusal"

        var lastColumn: String { self == .repeats ? "batch" : "code" }
    }

    private struct Key: Sendable {
        let app, quarter: Int64
        /// Of repeats.
        let batch: Int64
        /// Of refusals.
        let code: [UInt8]

        /// Before all others.
        static let first = Key(app: .min, quarter: .min, batch: .min, code: [])
    }

    /// Notes all that were counted or handed over from a moment on: by the store's writer, for which others wait.
    /// - Parameter moment: milliseconds since 1970; nil: all
    static func note(from moment: Int64?, _ store: Store) throws(StorageError) {
        try note(from: moment, store.reader()) { (work) throws(StorageError) in
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in try work(connection) }
            }
        }
    }

    /// - Parameter reader: sees what is written, and is in no transaction
    static func note(
        from moment: Int64?, _ reader: Connection, by write: Write
    ) throws(StorageError) {
        let quarter = moment.map { QuarterHour.number(of: $0) } ?? .min
        for table in Table.allCases {
            let (name, last) = (table.rawValue, table.lastColumn)
            // Where it is gone by now, as with its device, nothing is noted.
            try note(
                table, reader, write, bound: quarter,
                finding: """
                    SELECT app, quarter, \(last) FROM "\(name)" AS s
                    WHERE (app, quarter, \(last)) > (?1, ?2, ?3) AND quarter >= ?4
                        AND NOT EXISTS (
                            SELECT 1 FROM \(name)_change AS c
                            WHERE c.app = s.app AND c.quarter = s.quarter AND c.\(last) = s.\(last)
                                AND c.handed_over IS NULL)
                    """,
                noting: """
                    INSERT INTO \(name)_change (app, quarter, \(last))
                    SELECT app, quarter, \(last) FROM "\(name)"
                    WHERE app = ?1 AND quarter = ?2 AND \(last) = ?3
                    ON CONFLICT DO UPDATE SET handed_over = NULL WHERE handed_over IS NOT NULL
                    """)
            try note(
                table, reader, write, bound: moment ?? .min,
                finding: """
                    SELECT app, quarter, \(last) FROM \(name)_change
                    WHERE (app, quarter, \(last)) > (?1, ?2, ?3) AND handed_over >= ?4
                    """,
                noting: """
                    UPDATE \(name)_change SET handed_over = NULL
                    WHERE app = ?1 AND quarter = ?2 AND \(last) = ?3 AND handed_over IS NOT NULL
                    """)
        }
    }

    /// - Parameters:
    ///   - bound: the lowest quarter of an hour, or moment
    ///   - search: keys after one
    ///   - note: notes one
    private static func note(
        _ table: Table, _ reader: Connection, _ write: Write, bound: Int64, finding search: String,
        noting note: String
    ) throws(StorageError) {
        let find = try reader.prepare(
            "\(search) ORDER BY app, quarter, \(table.lastColumn) LIMIT \(sumsAtOnce)")
        var end = Key.first
        while true {
            try bind(end, of: table, to: find)
            try find.bind(4, bound)
            var keys: [Key] = []
            while try find.step() {
                keys.append(
                    Key(
                        app: find.int(0), quarter: find.int(1),
                        batch: table == .repeats ? find.int(2) : 0,
                        code: table == .refusals ? find.blob(2) : []))
            }
            find.reset()
            guard let last = keys.last else { return }
            end = last
            try write { [keys] (connection) throws(StorageError) in
                let change = try connection.prepare(note)
                for key in keys {
                    try bind(key, of: table, to: change)
                    try change.run()
                }
            }
            if keys.count < sumsAtOnce { return }
        }
    }

    private static func bind(
        _ key: Key, of table: Table, to statement: borrowing Statement
    ) throws(StorageError) {
        try statement.bind(1, key.app)
        try statement.bind(2, key.quarter)
        switch table {
        case .repeats: try statement.bind(3, key.batch)
        case .refusals: try statement.bindText(3, key.code)
        }
    }
}
