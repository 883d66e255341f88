import Database
import Storage

/// Whether the index of shared devices, read as each report reads it, has just those of the table. SQLite's
/// own check looks for the table's rows in the index, and passes over some octets of an entry's head that
/// lead who searches elsewhere.
struct SharedCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        let isSame = try connection.snapshot { () throws(StorageError) -> Bool in
            try hasSameRows()
        }
        if isSame { return }
        findings.add(Finding("table device", "has other shared devices than its index of them"))
    }

    /// Each entry is behind the one before it and has its row, and there are as many as shared rows.
    private func hasSameRows() throws(StorageError) -> Bool {
        let entries = try connection.prepare(
            """
            SELECT id FROM device INDEXED BY device_shared
            WHERE app = ?1 AND shared <> 0 AND id > 0
            """)
        let row = try connection.prepare(
            "SELECT 1 FROM device NOT INDEXED WHERE id = ?1 AND app = ?2 AND shared <> 0")
        var count: Int64 = 0
        for app in try connection.integers("SELECT id FROM app") {
            try entries.bind(1, app)
            try row.bind(2, app)
            defer { entries.reset() }
            var last: Int64 = 0
            while try entries.step() {
                let id = entries.int(0)
                if id <= last { return false }
                last = id
                count += 1
                try row.bind(1, id)
                defer { row.reset() }
                guard try row.step() else { return false }
            }
        }
        return try count
            == connection.integer("SELECT count(*) FROM device NOT INDEXED WHERE shared <> 0")
    }
}
