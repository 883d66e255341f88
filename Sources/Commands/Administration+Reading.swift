import Events
import Reports
import Sealing
import Service
import Storage

extension Administration {
    func apps() throws -> [AppSummary] {
        try reading { snapshot, _ in snapshot.apps.map { AppSummary($0) } }
    }

    func keys() throws -> [KeySummary] {
        try reading { snapshot, connection in
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
        try reading { snapshot, _ in
            snapshot.tokens.map { token in
                TokenSummary(token, app: token.app.flatMap { snapshot.app($0)?.name })
            }
        }
    }

    /// The same answer as `GET /report/NAME`, as octets of the form asked for.
    /// - Parameters:
    ///   - isColoured: a table with the colours of a terminal
    ///   - write: gets the answer, an export in pieces
    func report(
        _ name: String, _ pairs: [(name: String, value: String)], format: ReportFormat,
        isColoured: Bool,
        write: ([UInt8]) -> Void
    ) throws {
        TemporaryFiles.keep(in: settings.data)
        try reading { snapshot, connection in
            do {
                let list = try ParameterList(pairs)
                let definition = try ReportDefinition.named(name)
                guard let app = snapshot.app(named: try list.app()) else {
                    throw ReportError.unknownApp
                }
                let question = try Question(
                    definition, list, app: ReportApp(app), now: Timestamp.milliseconds,
                    settings: ReportSettings(minGroup: settings.reportMinGroup))
                guard case .lines = definition.answer else {
                    let report = try ReportRunner.run(question, connection)
                    write(report.rendered(as: format, isColoured: isColoured))
                    return
                }
                var pages = ExportPages(question)
                while !pages.isDone { write(try pages.next(connection, limit: 1 << 20)) }
            } catch let error as ReportError {
                throw AdminFailure(error.code == .unknownApp ? .dataError : .usage, error.detail)
            }
        }
    }

    /// The id and the secret of an app's first active aes128gcm key, for a client on this machine.
    func sealingKey(of app: String) throws -> (id: String, secret: [UInt8]) {
        try reading { snapshot, _ in
            guard let row = snapshot.app(named: app) else {
                throw AdminFailure(
                    .dataError, "no app \(app); 'sojourn app list' names those there are")
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
        do throws(StorageError) {
            let isNew = try !directory.hasDatabase()
            let store = try Store(settings.storage)
            try store.close()
            let newest = Migrator().newest
            return (isNew ? 0 : newest - Int64(store.migrated), newest)
        } catch {
            throw AdminFailure(error)
        }
    }

    private func reading<T>(_ work: (RegistrySnapshot, Connection) throws -> T) throws -> T {
        do {
            guard try directory.hasDatabase() else {
                throw AdminFailure.noDatabase(in: settings.data)
            }
            let store = try StoreReader(directory: directory, masterKeyFile: settings.masterKeyFile)
            return try work(try store.registry(), try store.reader())
        } catch let error as StorageError {
            throw AdminFailure(error)
        }
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
