import Database
import Storage

/// Whether the index of the times at which devices were first seen, read as each report reads it, has
/// just those of the table: see `SharedCheck`.
struct FirstSeenCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        let isSame = try connection.snapshot { () throws(StorageError) -> Bool in
            try hasSameRows()
        }
        if isSame { return }
        findings.add(Finding("table device", "was first seen at other times by its index of them"))
    }

    /// Each entry comes after the one before it and has its row, and there are as many as rows.
    private func hasSameRows() throws(StorageError) -> Bool {
        let entries = try connection.prepare(
            """
            SELECT id, first_time, first_resource FROM device INDEXED BY device_first
            WHERE app = ?1 AND shared = 0 AND first_time >= ?2
            """)
        let row = try connection.prepare(
            """
            SELECT 1 FROM device NOT INDEXED
            WHERE id = ?1 AND app = ?2 AND shared = 0 AND first_time = ?3 AND first_resource IS ?4
            """)
        var count: Int64 = 0
        for app in try connection.integers("SELECT id FROM app") {
            try entries.bind(1, app)
            try entries.bind(2, Int64.min)
            try row.bind(2, app)
            defer { entries.reset() }
            var last: (time: Int64, resource: Int64, id: Int64) = (.min, .min, .min)
            while try entries.step() {
                let resource = entries.optionalInt(2)
                let next = (entries.int(1), resource ?? .min, entries.int(0))
                if next <= last { return false }
                last = next
                count += 1
                try row.bind(1, next.2)
                try row.bind(3, next.0)
                try row.bind(4, resource)
                defer { row.reset() }
                guard try row.step() else { return false }
            }
        }
        return try count
            == connection.integer(
                """
                SELECT count(*) FROM device NOT INDEXED
                WHERE shared = 0 AND first_time IS NOT NULL
                """)
    }
}
