import Database
import Storage

/// Reads everything in a data directory back and compares it with what was written: pages, tables
/// and indexes, the checksums of rows and batches, and every value that follows from others. Beside a
/// running server, in slices of a read transaction each; memory does not grow with the database.
package struct Verification {
    /// How far it is.
    package struct Progress: Sendable {
        /// Batches that have been read, and about how many there are.
        package let done: Int
        package let total: Int
    }

    /// What was read and found.
    package struct Outcome: Sendable {
        package var batches = 0
        package var events = 0
        package var devices = 0
        /// The first hundred.
        package var findings: [Finding] = []
        /// How many more there are.
        package var leftOut = 0
        /// Whether there is one that only a backup helps against.
        package var needsBackup = false
        /// Whether digests of batches' ids were made anew and compared.
        package var hasCheckedDigests = false
        /// Where the master key should be that was not there, so that no digest could be made.
        package var missingKey: String?

        /// Whether all is as it was written.
        package var isGood: Bool { findings.isEmpty }
    }

    private let directory: DataDirectory
    private let connection: Connection
    private let digest: RepeatDigest?
    private let missingKey: String?

    /// With the master key, or without it where it is not there.
    /// - Throws: `damaged`, and what else keeps it from being opened.
    package init(
        _ directory: DataDirectory, masterKeyFile: String? = nil
    ) throws(StorageError) {
        try StoreReader.checkFiles(of: directory)
        let keyPath = masterKeyFile ?? directory.masterKey
        let hasKey = try FileSystem.status(of: keyPath) != nil
        let key = hasKey ? try MasterKey.read(keyPath, of: directory.database) : nil
        try DatabaseFile(directory, keyPath: keyPath).checkForReading(key: key)
        self.directory = directory
        connection = try Connection(path: directory.database, mode: .read, cacheBytes: 32 << 20)
        digest = key.map { RepeatDigest($0) }
        missingKey = hasKey ? nil : keyPath
    }

    /// Reads all of it once.
    /// - Throws: what is no damage, such as a disk that cannot be read.
    package func run(
        progress: (Progress) -> Void = { _ in }
    ) throws(StorageError) -> Outcome {
        var findings = Findings()
        var outcome = Outcome()
        outcome.missingKey = missingKey
        outcome.hasCheckedDigests = digest != nil
        try findings.collect("the log") { (findings) throws(StorageError) in
            try checkWAL(&findings)
        }
        try findings.collect("the file") { (findings) throws(StorageError) in
            try StructureCheck(connection).run(&findings)
            try FixedBytesCheck(connection).run(&findings)
        }
        for table in CheckedTable.allCases {
            try findings.collect("table \(table.rawValue)") { (findings) throws(StorageError) in
                try RowCheck(table, connection).run(&findings)
            }
        }
        try findings.collect("table batch") { (findings) throws(StorageError) in
            let check = try BatchCheck(connection)
            defer {
                outcome.batches = check.batches
                outcome.events = check.events
            }
            try check.run(&findings, progress: progress)
            let isEmptied = try connection.fact(Connection.spoolEmptiedTo) ?? 0 > 0
            let erasedSome = try erasedSome
            KeyUseCheck(erasedSome: isEmptied || erasedSome).run(check, &findings)
        }
        try findings.collect("table repeat_key") { (findings) throws(StorageError) in
            try RepeatKeyCheck(connection, digest).run(&findings)
        }
        try findings.collect("table device") { (findings) throws(StorageError) in
            outcome.devices = try DeviceCheck(connection).run(&findings)
        }
        try findings.collect("table segment") { (findings) throws(StorageError) in
            try SegmentCheck(connection).run(&findings)
        }
        try findings.collect("table segment_attributes") { (findings) throws(StorageError) in
            try AttributeCheck(connection).run(&findings)
        }
        try findings.collect(directory.erased) { (findings) throws(StorageError) in
            try ReceiptCheck(directory, connection).run(&findings)
        }
        outcome.findings = findings.kept
        outcome.leftOut = findings.leftOut
        outcome.needsBackup = findings.needsBackup
        return outcome
    }

    private func checkWAL(_ findings: inout Findings) throws(StorageError) {
        let fault = try connection.snapshot { () throws(StorageError) in
            // What was moved to the file before this is read may be replaced in a new WAL, and only that.
            _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
            return try connection.walFault()
        }
        if let fault { findings.add(Finding("the log", "is damaged: \(fault.found())")) }
    }

    /// Whether a device was ever erased here: counts of what was then outlive its batches.
    private var erasedSome: Bool {
        get throws(StorageError) {
            try FileSystem.status(of: directory.erased).map { $0.st_size > 0 } ?? false
        }
    }
}

extension Verification.Outcome {
    /// That of a database which is too damaged to be opened: nothing was read, and that is the one
    /// finding. Nil where the error is no damage.
    package init?(unreadable error: StorageError) {
        guard case .damaged(_, let found) = error else { return nil }
        self.init()
        findings = [Finding("the file", "cannot be opened: \(found)")]
        needsBackup = true
    }
}

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

/// Whether keys have been used as often as there are batches under them. Uses outlive the batches of
/// devices that were erased, and batches that were handed over.
struct KeyUseCheck {
    private let erasedSome: Bool

    init(erasedSome: Bool) { self.erasedSome = erasedSome }

    func run(_ check: BatchCheck, _ findings: inout Findings) {
        for key in Set(check.uses.keys).union(check.counted.keys).sorted() {
            let counted = check.counted[key] ?? (0, .min)
            let found = check.uses[key] ?? (0, .min)
            let fits =
                erasedSome
                ? found.batches <= counted.batches && found.last <= counted.last
                : found == counted
            if fits { continue }
            findings.add(
                Finding(
                    "key_use \(key)",
                    "counts \(counted.batches) batches, of which \(found.batches) are there"))
        }
    }
}
