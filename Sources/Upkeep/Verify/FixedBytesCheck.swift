import Database
import SQLiteFiles
import Storage

/// Checks bytes of the file that never change and that SQLite's own check does not compare:
/// the header, and each root's entry in the pointer maps, for the reason that `StructureCheck` gives
/// (https://www.sqlite.org/fileformat2.html, 1.3 and 1.8).
///
/// It reads the file itself. A page that the WAL has too is skipped: SQLite reads that one, and
/// the one in the file may be half written.
struct FixedBytesCheck {
    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        // While one state is read nothing newer goes to the file, and the WAL keeps what it has.
        try connection.snapshot { () throws(StorageError) in
            guard let header = try FileHeader(of: connection) else { return }
            for fault in try header.faults(
                on: connection, application: DatabaseFile.applicationBytes)
            {
                let finding =
                    fault.remedy.map {
                        Finding("the file", "is not as it was made: \(fault.found)", advice: $0)
                    } ?? Finding("the file", "is damaged: \(fault.found)")
                findings.add(finding)
            }
            // Without one it has no maps.
            if header.lastRoot == 0 { return }
            for root in try roots() { try check(root, &findings) }
        }
    }

    private struct Root {
        let name: String
        let page: Int
    }

    /// In order of their pages; the first page is the schema's, and in no map.
    private func roots() throws(StorageError) -> [Root] {
        let rows = try connection.prepare(
            """
            SELECT name, rootpage FROM sqlite_schema
            WHERE type IN ('table', 'index') AND rootpage > 1 ORDER BY rootpage
            """)
        var roots: [Root] = []
        while try rows.step() { roots.append(Root(name: rows.text(0), page: Int(rows.int(1)))) }
        return roots
    }

    /// Since the commit that made a tree, the entry of its root has this kind.
    private func check(_ root: Root, _ findings: inout Findings) throws(StorageError) {
        guard let entry = PageGap.map(of: root.page, pageSize: Connection.pageSize) else { return }
        // A map is nobody's root.
        if entry.offset >= 0 {
            var map = [UInt8](repeating: 0, count: Connection.pageSize)
            if try connection.readPage(entry.page, into: &map),
                map[entry.offset..<entry.offset + 5] == [PageGap.root, 0, 0, 0, 0]
            {
                return
            }
            // Only the WAL may have the map of a tree that was just made.
            if try connection.walHasPage(entry.page) { return }
        }
        findings.add(
            Finding(
                "the file",
                "is damaged: page \(entry.page) does not tell of \(root.name)'s root"))
    }
}
