import Database
import Engine
import Events
import Query
import Reports
import Sealing
import Service
import Storage

extension Administration {
    func apps() throws -> [AppSummary] {
        try reading { snapshot, _, _ in snapshot.apps.map { AppSummary($0) } }
    }

    func keys() throws -> [KeySummary] {
        try reading { snapshot, connection, _ in
            let use = try connection.keyUse()
            return snapshot.keys.map { key in
                var summary = KeySummary(key, app: snapshot.app(key.app)?.name ?? "")
                summary.batches = use[key.id]?.batches ?? 0
                summary.lastUsedAt = use[key.id]?.last
                return summary
            }
        }
    }

    func tokens() throws -> [TokenSummary] {
        try reading { snapshot, _, _ in
            snapshot.tokens.map { token in
                TokenSummary(token, app: token.app.flatMap { snapshot.app($0)?.name })
            }
        }
    }

    /// The same answer as `GET /report/NAME`, as bytes of the form asked for.
    /// - Parameters:
    ///   - isColoured: a table with the colours of a terminal
    ///   - write: gets the answer, an export in pieces
    func report(
        _ name: String, _ pairs: [(name: String, value: String)], format: ReportFormat,
        isColoured: Bool,
        write: ([UInt8]) -> Void
    ) throws {
        TemporaryFiles.keep(in: settings.data)
        try reading { snapshot, connection, key in
            do {
                let list = try ParameterList(pairs)
                let definition = try ReportDefinition.named(name)
                guard let app = snapshot.app(named: try list.app()) else {
                    throw ReportError.unknownApp
                }
                let question = try Question(
                    definition, list, app: QueryApp(app), now: Timestamp.milliseconds,
                    settings: ReportSettings(minGroup: settings.reportMinGroup))
                if case .device = definition.shape {
                    throw AdminFailure(
                        .usage, "one device's record is printed by 'sojourn device export'")
                }
                guard case .lines = definition.shape else {
                    let report = try answering(connection, key) { queries throws(QueryError) in
                        try ReportRunner.run(question, queries)
                    }
                    write(report.rendered(as: format, isColoured: isColoured))
                    return
                }
                try self.write(ExportLines(question), connection, key, write)
            } catch let error as ReportError {
                switch error.code {
                case .unknownApp:
                    let app = pairs.last { $0.name == "app" }?.value ?? ""
                    throw Self.unknownApp(app)
                case .unknownReport:
                    throw AdminFailure(
                        .usage, "no report '\(name)'; 'sojourn help report' names those there are")
                case .timeZoneGone: throw AdminFailure(.dataError, error.detail)
                default: break
                }
                throw AdminFailure(
                    .usage, error.detail + "; 'sojourn help report' tells more")
            }
        }
    }

    /// Answers from one state of the node's own data, or from the engine, of all nodes.
    func answering<T>(
        _ connection: Connection, _ key: MasterKey,
        _ work: (any Queries) throws(QueryError) -> T
    ) throws -> T {
        guard let forward = settings.forward else {
            return try SegmentQueries(connection).transaction(work)
        }
        return try engine(forward, connection, key) { try work($0) }
    }

    /// The engine's answer, and a word on what it may lack.
    private func engine<T>(
        _ forward: ForwardSettings, _ connection: Connection, _ key: MasterKey,
        _ work: (any Queries) throws -> T
    ) throws -> T {
        let (answer, completeTo) = try ClusterReader(forward, key).answer(
            connection, timeout: settings.reportTimeout, work)
        guard let completeTo else {
            note(
                "what nodes have taken may be missing: how far they are complete cannot be told; "
                    + "'sojourn node list' tells of each")
            return answer
        }
        if Timestamp.milliseconds - completeTo > Self.noteworthyLag {
            note(
                "what nodes have taken since \(Moment.text(completeTo)) may be missing; "
                    + "'sojourn node list' tells of each")
        }
        return answer
    }

    /// Milliseconds.
    private static let noteworthyLag: Int64 = 10_000

    /// Writes lines, a page at a time.
    func write(
        _ lines: ExportLines, _ connection: Connection, _ key: MasterKey,
        _ write: ([UInt8]) -> Void
    ) throws {
        var lines = lines
        if let forward = settings.forward {
            try engine(forward, connection, key) { queries in
                while !lines.isDone { try lines.next(queries, limit: 1 << 20).forEach(write) }
            }
            return
        }
        let path = connection.path
        let environment = ReportEnvironment(
            threads: ProcessorCount.usable,
            readers: ConnectionPool(limit: ProcessorCount.usable) { () throws(StorageError) in
                try Connection(path: path, mode: .read)
            })
        let queries = SegmentQueries(connection, Interruption(), environment)
        while !lines.isDone {
            let page = try queries.transaction { (queries) throws(QueryError) in
                try lines.next(queries, limit: 8 << 20)
            }
            page.forEach(write)
        }
    }

    private static func unknownApp(_ name: String) -> AdminFailure {
        AdminFailure(.dataError, "no app '\(name)'; 'sojourn app list' names those there are")
    }

    /// The id and the secret of an app's first active aes128gcm key, for a client on this machine.
    func sealingKey(of app: String) throws -> (id: String, secret: [UInt8]) {
        try reading { snapshot, _, _ in
            guard let row = snapshot.app(named: app) else {
                throw Self.unknownApp(app)
            }
            guard
                let key = snapshot.keys.first(where: {
                    $0.app == row.id && $0.profile == .aes128gcm && !$0.isRevoked
                })
            else {
                throw AdminFailure(
                    .dataError,
                    "app \(app) has no active aes128gcm key; 'sojourn key add' makes one")
            }
            return (key.name, Array(Hex.encode(key.secret.span).utf8))
        }
    }

    /// Brings the schema up to date; refused while a server runs.
    func migrate() throws -> (from: Int64, to: Int64) {
        TemporaryFiles.keep(in: settings.data)
        do throws(StorageError) {
            let isNew = try !directory.hasDatabase()
            let store = try Store.open(settings.storage)
            try store.close()
            let newest = Migrator().newest
            return (isNew ? 0 : newest - Int64(store.migrated), newest)
        } catch {
            throw AdminFailure(error)
        }
    }

    func reading<T>(
        _ work: (RegistrySnapshot, Connection, MasterKey) throws -> T
    ) throws -> T {
        do {
            try requireDatabase()
            let store = try StoreReader(directory: directory, masterKeyFile: settings.masterKeyFile)
            return try work(try store.registry(), try store.reader(), store.masterKey)
        } catch let error as StorageError {
            throw AdminFailure(error)
        } catch let error as EngineError {
            throw AdminFailure(error)
        } catch let error as QueryError {
            if error.isInterruption, settings.forward != nil {
                throw AdminFailure(
                    .unavailable,
                    "the engine has not answered within report-timeout; raise it, or ask for a shorter range"
                )
            }
            if let cause = error.cause as? EngineError { throw AdminFailure(cause) }
            guard let cause = error.cause as? StorageError else { throw error }
            throw AdminFailure(cause)
        }
    }

    /// - Throws: a failure where there is nothing to read yet.
    func requireDatabase() throws {
        do throws(StorageError) {
            if try directory.hasDatabase() { return }
        } catch {
            throw AdminFailure(error)
        }
        throw AdminFailure.noDatabase(in: settings.data)
    }
}

extension AdminFailure {
    /// A command that only reads was given a directory that nothing has been kept in yet.
    static func noDatabase(in folder: String) -> AdminFailure {
        AdminFailure(
            .io,
            "no database in \(folder) yet; 'sojourn app add' makes one, --data names another folder"
        )
    }
}
