import Database
import Storage

/// Whether each row of a table is what was written, by the row's own checksum.
struct RowCheck {
    private let table: CheckedTable
    private let connection: Connection

    init(_ table: CheckedTable, _ connection: Connection) {
        self.table = table
        self.connection = connection
    }

    func run(_ findings: inout Findings) throws(StorageError) {
        try connection.snapshot { () throws(StorageError) in
            let erasing =
                table == .device ? try UnfinishedErasures.devices(connection) : []
            let rows = try connection.prepare(
                """
                SELECT \(table.identity) FROM "\(table.rawValue)"
                WHERE checksum IS NOT \(table.expression)
                """)
            while try rows.step() {
                if erasing.contains(rows.int(0)) { continue }
                findings.add(
                    Finding("\(table.rawValue) \(rows.text(0))", "is not what was written"))
            }
        }
    }
}
