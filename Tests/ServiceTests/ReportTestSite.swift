import Foundation
import Logging
import Query
import Reports
import Sockets

@testable import Database
@testable import Service
@testable import Storage
@testable import Upkeep

/// A store in a folder of its own with one app and events in it, and whatever of a service a test
/// asks for.
final class ReportTestSite {
    let store: Store
    let app: App
    let token: String
    private let folder: String
    private var server: Server?

    /// Events are `gap` milliseconds apart, from `start` on, 5000 in a batch; each makes a line of
    /// some 1200 bytes.
    init(events: Int = 0, gap: Int64 = 1000) throws {
        // Short, for it holds a socket.
        folder = "/tmp/sojourn-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        store = try Store.open(Store.Options(directory: DataDirectory(folder)))
        app = try store.registry.addApp("shop")
        token = try store.registry.addToken(scope: .report, app: "shop").text
        try fill(events, gap: gap)
    }

    deinit {
        server?.drain(0)
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// 2026-03-28T00:00:00Z.
    static let start: Int64 = 1_774_656_000_000

    private func fill(_ events: Int, gap: Int64) throws {
        guard events > 0 else { return }
        let connection = try Connection(path: store.directory.database, mode: .write)
        try connection.transaction { () throws(StorageError) in
            try connection.execute("INSERT INTO name VALUES (1, 'p')")
            try connection.execute("INSERT INTO attribute_key VALUES (1, 'k')")
            try connection.execute(
                "INSERT INTO resource VALUES (1, 'iOS', '', '', '', '', '', '', '')")
            try connection.execute(
                "INSERT INTO device (id, app, hash, shared) VALUES (1, \(app.id), randomblob(16), 0)"
            )
            for batch in stride(from: 0, to: events, by: 5000) {
                let (id, count) = (batch / 5000 + 1, min(5000, events - batch))
                let first = Self.start + Int64(batch) * gap
                try connection.execute(
                    """
                    INSERT INTO batch (id, app, device, resource, batch_id, received_at, clock_shift,
                        profile, key, sequence, dropped_events, body_bytes, accepted, rejected,
                        first_time, last_time, sessions, attribute_keys)
                    VALUES (\(id), \(app.id), 1, 1, 'b\(id)', 1, 0, 1, null, null,
                        0, 0, \(count), 0, \(first), \(first + Int64(count - 1) * gap), null,
                        '[1]');
                    WITH RECURSIVE place(n) AS
                        (SELECT 0 UNION ALL SELECT n + 1 FROM place WHERE n < \(count - 1))
                    INSERT INTO event SELECT \(id) << 13 | n, 1, 1 - (\(first) + n * \(gap)), null,
                        '0,"' || hex(zeroblob(500)) || '"' FROM place
                    """)
                // A prune leaves alone what is not what was written.
                try BatchChecksum(connection).refresh(batch: Int64(id))
            }
        }
    }

    func executor(timeout: Int64 = 60_000) -> ReportExecutor {
        ReportExecutor(store: store, timeout: timeout)
    }

    /// The whole of what is stored.
    var pages: ExportLines {
        get throws {
            let question = try Question(
                ReportDefinition.named("export"),
                ParameterList([("app", "shop"), ("from", "2026-03-28"), ("to", "2026-04-30")]),
                app: QueryApp(app), now: Self.start, settings: ReportSettings())
            return ExportLines(question)
        }
    }

    /// The target of a request for the same.
    static let export = "/report/export?app=shop&from=2026-03-28&to=2026-04-30"

    /// Starts a server of one loop.
    /// - Returns: the service behind it, and its port
    func serve(
        _ settings: [String: String] = [:],
        logger: Logging.Logger = Logging.Logger(label: "test"),
        rateClock: @escaping @Sendable () -> Int64 = Clock.system.monotonic,
        clockSources: ArrivalClock.Sources = ArrivalClock.Sources()
    ) throws -> (core: ServiceCore, port: UInt16) {
        var given = settings.mapValues { [$0] }
        given["listen"] = ["127.0.0.1:0"]
        given["admin-listen"] = given["admin-listen"] ?? ["off"]
        given["data"] = [folder]
        let resolved = try SettingsResolver(
            commandLine: given, environment: [:], configFile: nil, readFile: { _ in nil }
        ).resolve()
        let core = try ServiceCore(
            settings: resolved, store: store, logger: logger,
            rateClock: rateClock, clockSources: clockSources)
        let server = try Server(starting: Server.Configuration(groups: core.listenerGroups()))
        self.server = server
        core.server = server
        let address = server.addresses[core.hiddenGroups][0]
        return (core, UInt16(address.split(separator: ":").last ?? "") ?? 0)
    }

}
