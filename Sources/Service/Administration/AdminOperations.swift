import Database
import Events
import Ingest
import JSON
import Reports
import Sealing
import Storage
import TimeZones
import Upkeep

/// Carries out operations on the one store that may be written: in the server for its control socket,
/// or in a command that holds the directory's lock.
package struct AdminOperations: Sendable {
    let store: Store
    /// Told of a prune; nil where nobody judges events.
    let floor: EventFloor?
    /// The server's; nil: what is stored tells of the clock.
    private let running: ArrivalClock?
    /// Whether what takes long is to end.
    let isStopping: @Sendable () -> Bool
    private let backups: BackupJobs
    /// Nil where the node hands over to no engine.
    let cluster: Cluster?
    private var registry: Registry { store.registry }

    /// For a command that is the only one.
    package init(store: Store, cluster: Cluster? = nil) {
        self.store = store
        self.cluster = cluster
        floor = nil
        running = nil
        isStopping = { false }
        backups = BackupJobs(store: store)
    }

    /// For a server.
    /// - Parameter backups: the server's: one request begins a backup and others ask about it
    init(
        store: Store, floor: EventFloor, clock: ArrivalClock, backups: BackupJobs,
        cluster: Cluster?, stop: StopFlag
    ) {
        self.store = store
        self.cluster = cluster
        self.floor = floor
        running = clock
        isStopping = { stop.isRaised }
        self.backups = backups
    }

    package func perform(_ operation: AdminOperation) throws(AdminFailure) -> AdminResult {
        switch operation {
        case .addApp(let change):
            try check(change)
            return .app(
                AppSummary(
                    try changing { (registry) throws(StorageError) in
                        try registry.addApp(change.app, AppChange(change))
                    }))
        case .setApp(let change):
            try check(change)
            return .app(
                AppSummary(
                    try changing { (registry) throws(StorageError) in
                        try registry.setApp(change.app, AppChange(change))
                    }))
        case .addKey(let app, let profile, let algorithm, let id, let material):
            return .key(
                try addKey(app: app, profile: profile, algorithm: algorithm, id: id, text: material)
            )
        case .revokeKey(let id):
            let key = try changing { (registry) throws(StorageError) in
                try registry.revokeKey(id)
            }
            return .key(KeySummary(key, app: registry.snapshot.app(key.app)?.name ?? ""))
        case .addToken(let scope, let app):
            return .token(try addToken(scope: scope, app: app))
        case .revokeToken(let id):
            let token = try changing { (registry) throws(StorageError) in
                try registry.revokeToken(id)
            }
            return .token(
                TokenSummary(token, app: token.app.flatMap { registry.snapshot.app($0)?.name }))
        case .eraseDevice(let app, let device):
            return .erased(try erase(device, of: app))
        case .prune(let age, let all):
            return .pruned(try prune(olderThan: age, all: all))
        case .clock:
            return .clock(try clockSummary(clock(), at: Timestamp.milliseconds))
        case .acceptClock:
            return .clock(try acceptClock(at: Timestamp.milliseconds))
        case .migrateEngine:
            guard let cluster else { throw .noEngine }
            return .engineMigrated(try cluster.migrate())
        case .forwardAgain(let moment):
            guard let cluster else { throw .noEngine }
            try stored { () throws(StorageError) in try cluster.again(from: moment) }
            return .forwardedAgain
        case .startBackup(let directory, let withKey):
            return .backup(try backups.start(directory: directory, withKey: withKey))
        case .backupState(let number):
            return .backup(try backups.state(of: number))
        case .readers: return .readers(backups.readers)
        }
    }

    /// The clock as a server has it, or as it would have it now.
    func clock() throws(AdminFailure) -> ArrivalClock {
        if let running { return running }
        return try stored { () throws(StorageError) in
            ArrivalClock(try store.clockRecord(), now: Timestamp.milliseconds)
        }
    }

    private func check(_ change: AdminOperation.AppChange) throws(AdminFailure) {
        if let title = change.title, title.unicodeScalars.contains(where: Printable.isControl) {
            throw AdminFailure(.usage, "--name takes a text without control characters")
        }
        guard let zone = change.timeZone else { return }
        do {
            _ = try TimeZoneRules(name: zone)
        } catch {
            throw AdminFailure(
                .usage, "no time zone of that name in tzdata; use one such as UTC or Europe/Paris")
        }
    }

    private func addKey(
        app: String, profile: String, algorithm: String?, id: String?, text: String?
    ) throws(AdminFailure) -> KeySummary {
        let kind: KeyMaterial.Kind
        switch Profile(name: profile) {
        case .aes128gcm: kind = .aes128gcm
        case .legacy: kind = .legacy
        case .jwe:
            let named = algorithm.flatMap(KeyAlgorithm.init(rawValue:))
            guard algorithm == nil || named != nil else {
                throw AdminFailure(.usage, "--alg takes ECDH-ES or RSA-OAEP-256")
            }
            kind = .jwe(named)
        case .plain, .otlp, nil:
            throw AdminFailure(.usage, "--profile takes aes128gcm, jwe or legacy")
        }
        if algorithm != nil, kind.bytes != nil {
            throw AdminFailure(.usage, "--alg is for keys of profile jwe")
        }
        let material: KeyMaterial
        do {
            material =
                try text.map { text throws(KeyMaterialError) in
                    try KeyMaterial.imported(Array(text.utf8).span, as: kind)
                } ?? KeyMaterial.make(kind)
        } catch {
            throw AdminFailure(.dataError, AdminFailure.importRefusal + "\(error)")
        }
        var algorithmName: String?
        if case .pair(let pair) = material { algorithmName = pair.algorithm.rawValue }
        let key = try changing { (registry) throws(StorageError) in
            try registry.addKey(
                name: id, app: app, profile: Profile(name: profile) ?? .aes128gcm,
                algorithm: algorithmName, secret: material.stored)
        }
        var summary = KeySummary(
            key: key.name, app: app, profile: profile, algorithm: key.algorithm)
        switch material {
        case .symmetric(let bytes):
            if text == nil { summary.secret = Base64URL.encode(bytes.span) }
        case .pair(let pair):
            summary.publicJWK = pair.publicKey.jwkText(keyID: key.name)
        }
        return summary
    }

    private func addToken(scope: String, app: String?) throws(AdminFailure) -> TokenSummary {
        guard let named = TokenScope(rawValue: scope) else {
            throw AdminFailure(.usage, "--scope takes ingest, report or admin")
        }
        if named == .ingest, app == nil {
            throw AdminFailure(.usage, "a token of scope ingest needs --app")
        }
        let (token, text) = try changing { (registry) throws(StorageError) in
            try registry.addToken(scope: named, app: app)
        }
        return TokenSummary(token: text, id: token.name, scope: scope, app: app)
    }

    /// Changes the registry: of all nodes, where there are several.
    private func changing<T: Sendable>(
        _ work: (Registry) throws(StorageError) -> T
    ) throws(AdminFailure) -> T {
        if let cluster { return try cluster.change(work) }
        return try stored { () throws(StorageError) in try work(registry) }
    }

    func stored<T>(_ work: () throws(StorageError) -> T) throws(AdminFailure) -> T {
        do throws(StorageError) { return try work() } catch { throw AdminFailure(error) }
    }
}
