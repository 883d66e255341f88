import Database
import Storage

/// The file as SQLite sees it: no page is in two trees or lists, keys are in order, every row
/// is in every index with the same values, every value has its column's type; and every reference has
/// its row. References of events are followed with their batches.
struct StructureCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        // In a schema with views SQLite may take the first, which has no tree, for the sign of a check in
        // part, and leave the list of free pages out: asked for one table, the schema's, it reads that.
        for scope in ["\(Findings.maxKept)", "sqlite_schema"] {
            let structure = try connection.prepare("PRAGMA integrity_check(\(scope))")
            while try structure.step() {
                let line = structure.text(0)
                if line == "ok" { continue }
                findings.add(Finding("the file", "is damaged: \(Self.oneLine(line))"))
            }
        }
        // In one state, so that no table goes meanwhile.
        try connection.snapshot { () throws(StorageError) in
            for table in try tables() { try checkReferences(of: table, &findings) }
        }
    }

    private func checkReferences(
        of table: String, _ findings: inout Findings
    ) throws(StorageError) {
        let references = try connection.prepare(
            "SELECT parent, count(*) FROM pragma_foreign_key_check(?) GROUP BY parent")
        try references.bind(1, table)
        while try references.step() {
            let parent = references.text(0)
            findings.add(
                Finding(
                    "table \(table)",
                    "names \(references.int(1)) rows of \(parent) that are not there"))
        }
    }

    /// All tables but `event`, of which there are too many to look at twice.
    private func tables() throws(StorageError) -> [String] {
        let rows = try connection.prepare(
            """
            SELECT name FROM sqlite_schema
            WHERE type = 'table' AND name NOT IN ('event') AND name NOT LIKE 'sqlite^_%' ESCAPE '^'
            ORDER BY name
            """)
        var tables: [String] = []
        while try rows.step() { tables.append(rows.text(0)) }
        return tables
    }

    /// SQLite's first line is a title with a line of its own.
    private static func oneLine(_ text: String) -> String {
        text.split(separator: "\n").joined(separator: " ")
    }
}
