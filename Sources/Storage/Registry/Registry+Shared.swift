import Database
import Events
import Sealing

/// What nodes of one engine share of the registry (docs/scale.md, One cluster).
extension Registry {
    /// A row and the version that all nodes know it by.
    package struct SharedRow: Sendable, Equatable {
        package let row: RegistryRow
        package let version: Int64

        package init(_ row: RegistryRow, version: Int64) {
            self.row = row
            self.version = version
        }
    }

    /// What a change would make of the rows: nothing of it is stored.
    /// - Parameter work: changes the registry that it is given
    /// - Returns: what `work` returns, and the rows that it added or changed
    /// - Throws: what `work` throws
    package func rehearse<T: Sendable>(
        _ work: (Registry) throws(StorageError) -> T
    ) throws(StorageError) -> (result: T, rows: [RegistryRow]) {
        let rehearsal = Registry(rehearsing: self)
        let result = try work(rehearsal)
        return (result, rehearsal.rehearsed)
    }

    /// What came of taking rows over.
    package struct Taken: Sendable {
        /// How many were newer than what was here.
        package internal(set) var count = 0
        /// Rows that cannot be, such as a key of an app that is not there, and why. They are taken when they can.
        package internal(set) var refused: [(row: RegistryRow, reason: StorageError)] = []
    }

    /// Takes over rows of other nodes, as far as they are newer than what is here. One that cannot be keeps no
    /// other from it.
    package func apply(_ rows: [SharedRow]) throws(StorageError) -> Taken {
        var taken = Taken()
        var usable: [SharedRow] = []
        for shared in rows {
            do throws(StorageError) {
                try check(shared.row)
                usable.append(shared)
            } catch {
                taken.refused.append((shared.row, error))
            }
        }
        // Most times none is, and the writer has nothing to do.
        let newer = try newer(usable)
        if newer.isEmpty { return taken }
        let order = RegistryRow.Kind.allCases
        let sorted = order.flatMap { kind in newer.filter { $0.row.kind == kind } }
        do throws(StorageError) {
            taken.count = try put(sorted)
            return taken
        } catch {
            guard error.mayLieInRow else { throw error }
        }
        for shared in sorted {
            do throws(StorageError) { taken.count += try put([shared]) } catch {
                guard error.mayLieInRow else { throw error }
                taken.refused.append((shared.row, error))
            }
        }
        return taken
    }

    /// Whether this program could use a row: an engine's table may have anything in it.
    /// - Throws: `unusable`
    private func check(_ row: RegistryRow) throws(StorageError) {
        switch row.content {
        case .app(let title, let zone, let timeout, let allowsPlain, let createdAt):
            try RegistryName.check(row.name)
            try Self.check(
                App(
                    id: 0, name: row.name, title: title, timeZone: zone, sessionTimeout: timeout,
                    allowsPlain: allowsPlain, createdAt: createdAt))
        case .key(let app, let profile, _, let wrapped, _, let revokedAt):
            guard let profile = Profile(name: profile) else {
                throw .unusable("it has no known profile")
            }
            guard
                revokedAt != nil
                    || secrets.open(wrapped, app: app, profile: profile, key: row.name) != nil
            else { throw .unusable("its secret does not open with this master key") }
        case .token(let hash, let scope, _, _, _):
            guard Digest256(bytes: hash.span) != nil, TokenScope(rawValue: scope) != nil else {
                throw .unusable("its hash or its scope is none")
            }
        }
    }

    /// Those that are newer than what is here, as a connection that reads finds it.
    private func newer(_ rows: [SharedRow]) throws(StorageError) -> [SharedRow] {
        let connection = try reader()
        return try connection.snapshot { () throws(StorageError) in
            var newer: [SharedRow] = []
            for shared in rows {
                let known = try Self.version(of: shared.row, connection)
                if known ?? .min < shared.version { newer.append(shared) }
            }
            return newer
        }
    }

    /// - Returns: how many were newer than what was here
    private func put(_ rows: [SharedRow]) throws(StorageError) -> Int {
        try change { (connection) throws(StorageError) in
            var count = 0
            for shared in rows {
                let row = shared.row
                if let known = try Self.version(of: row, connection), known >= shared.version {
                    continue
                }
                try row.put(on: connection)
                let version = try connection.prepare(
                    """
                    INSERT INTO registry_version (kind, name, version) VALUES (?, ?, ?)
                    ON CONFLICT DO UPDATE SET version = excluded.version
                    """)
                try version.bind(1, row.kind.rawValue)
                try version.bind(2, row.name)
                try version.bind(3, shared.version)
                try version.run()
                count += 1
            }
            return count
        }
    }

    private static func version(
        of row: RegistryRow, _ connection: Connection
    ) throws(StorageError) -> Int64? {
        let found = try connection.prepare(
            "SELECT version FROM registry_version WHERE kind = ? AND name = ?")
        try found.bind(1, row.kind.rawValue)
        try found.bind(2, row.name)
        return try found.step() ? found.int(0) : nil
    }

    /// All rows with the versions that all nodes know them by; nil for those that this node alone knows.
    package func sharedRows() throws(StorageError) -> [(row: RegistryRow, version: Int64?)] {
        let connection = try reader()
        return try connection.snapshot { () throws(StorageError) in
            var rows: [(row: RegistryRow, version: Int64?)] = []
            for row in try RegistryRow.all(on: connection) {
                rows.append((row, try Self.version(of: row, connection)))
            }
            return rows
        }
    }
}

extension StorageError {
    /// A row of other nodes that this program cannot use.
    fileprivate static func unusable(_ reason: String) -> StorageError {
        .other(Other("unusable row", .badData, reason))
    }

    /// Whether what was to be written may be at fault, and nothing of the disk.
    fileprivate var mayLieInRow: Bool {
        switch kind {
        case .notFound, .exists, .badData, .software: !isClosed
        default: false
        }
    }
}
