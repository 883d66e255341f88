import Database
import Storage

/// Whether blocks of attributes are what the rows of events make of their segments, byte for byte.
struct AttributeCheck {
    /// Events whose rows are read in one transaction, about.
    private static let eventsAtOnce = 1 << 18

    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    func run(_ findings: inout Findings) throws(StorageError) {
        var last = Int64.min
        while let reached = try connection.snapshot({ () throws(StorageError) in
            try check(after: last, &findings)
        }) {
            last = reached
        }
    }

    /// - Returns: the last segment that was looked at; nil where none was left
    private func check(
        after last: Int64, _ findings: inout Findings
    ) throws(StorageError) -> Int64? {
        let blocks = try connection.prepare(
            """
            SELECT b.id, s.checksum IS b.of, s.checksum, s.app, s.day
            FROM segment_attributes AS b INDEXED BY segment_attributes_of
                LEFT JOIN segment AS s ON s.id = b.id
            WHERE b.id > ?1 ORDER BY b.id
            """)
        try blocks.bind(1, last)
        var maker = try AttributeBlockMaker(connection)
        var reached: Int64?
        while maker.count < Self.eventsAtOnce, try blocks.step() {
            let id = blocks.int(0)
            reached = id
            guard blocks.int(1) == 1 else {
                findings.add(Finding("attributes of segment \(id)", "are of no segment"))
                continue
            }
            // Those of stale days, which nobody reads, are left out there.
            try maker.add(
                AttributeBlocks.Missing(
                    id: id, checksum: blocks.int(2), app: blocks.int(3), day: blocks.int(4)))
        }
        blocks.reset()
        let stored = try connection.prepare(
            "SELECT columns FROM segment_attributes WHERE id = ?1")
        for made in try maker.blocks(while: { true }) ?? [] {
            try stored.bind(1, made.segment.id)
            defer { stored.reset() }
            let isEqual = try stored.step() && stored.blob(0) == made.columns
            if !isEqual { findings.add(Self.difference(made.segment.id)) }
        }
        for refused in maker.refused { findings.add(Self.difference(refused.id)) }
        return reached
    }

    private static func difference(_ id: Int64) -> Finding {
        Finding("attributes of segment \(id)", "are not what its rows say")
    }
}
