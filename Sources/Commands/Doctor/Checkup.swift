import Database
import Query
import Service
import Storage
import Upkeep

/// Looks at a data directory, its machine and the settings in force, and changes nothing. What it
/// finds is told by functions of values, in the extensions; here those values are read.
struct Checkup {
    let settings: Settings
    let directory: DataDirectory
    /// Milliseconds since 1970.
    let now: Int64

    /// A key that opened no batch for this long is taken for unused: 30 days, in milliseconds.
    static let unused: Int64 = 30 * 86_400_000

    /// What the database tells.
    struct Contents {
        var snapshot: RegistrySnapshot
        /// By a key's row id.
        var use: [Int64: (batches: Int64, last: Int64)]
        /// As the server has it, if one runs.
        var clock: ClockSummary
        /// Rows of the apps among whose latest batches some came by OTLP.
        var appsOfOTLP: Set<Int64> = []
        /// By an app's row.
        var crowded: [Int64: [CrowdedDevice]] = [:]
    }

    /// Everything, in the order in which it is shown.
    /// - Throws: `AdminFailure` where there is no database yet, or it cannot be looked at.
    func findings() throws -> [CheckupResult] {
        var findings: [CheckupResult] = []
        switch Result(catching: contents) {
        case .success(nil): throw AdminFailure.noDatabase(in: settings.data)
        case .success(let contents?):
            findings.append(CheckupResult("database", .ok, "it opens with its master key"))
            findings += Self.legacyKeys(contents, now: now)
            findings.append(
                Self.plain(
                    contents.snapshot.apps.filter(\.allowsPlain).map(\.name), settings.listen))
            findings += Self.sessionTimeouts(contents)
            findings += Self.sharedIDs(contents.snapshot.apps, contents.crowded)
            findings += Self.timeZones(contents.snapshot.apps)
            findings.append(Self.clock(contents.clock, waiting: settings.waitingForClock))
        case .failure(let error):
            findings.append(try Self.unreadable(error))
            let clock = ArrivalClock(ClockRecord(newest: nil, accepted: nil), now: now)
            findings.append(
                Self.clock(
                    ClockSummary(clock, at: now, newestArrival: nil, floor: nil),
                    waiting: settings.waitingForClock))
        }
        findings.append(server())
        findings += Self.listeners(reports: reportListeners, admin: settings.adminListen)
        findings += try files()
        findings += permissions()
        findings.append(masterKey())
        findings.append(wal())
        return findings + cluster() + machine()
    }

    private func clock(_ connection: Connection) throws(StorageError) -> ClockSummary {
        if let answer = try? Administration(settings: settings).answer(.clock),
            case .done(.clock(let clock)) = answer
        {
            return clock
        }
        let clock = ArrivalClock(try connection.clockRecord(), now: now)
        return ClockSummary(
            clock, at: now, newestArrival: try connection.newestArrival(),
            floor: try connection.pruneFloor())
    }

    /// Nil without a database.
    private func contents() throws(StorageError) -> Contents? {
        guard try directory.hasDatabase() else { return nil }
        let store = try StoreReader(directory: directory, masterKeyFile: settings.masterKeyFile)
        try DatabaseFile(directory, keyPath: settings.masterKeyFile ?? directory.masterKey)
            .checkHeaderForReading()
        let connection = try store.reader()
        let snapshot = try store.registry()
        let ofOTLP = try connection.apps(snapshot.apps.map(\.id), withLatestBatchesOf: .otlp)
        return Contents(
            snapshot: snapshot, use: try connection.keyUse(),
            clock: try clock(connection), appsOfOTLP: ofOTLP,
            crowded: try crowded(snapshot.apps, connection))
    }

    private func crowded(
        _ apps: [App], _ connection: Connection
    ) throws(StorageError) -> [Int64: [CrowdedDevice]] {
        let search = CrowdedDevices(connection)
        var crowded: [Int64: [CrowdedDevice]] = [:]
        for app in apps { crowded[app.id] = try search.find(app: app.id, of: apps.count) }
        return crowded
    }

    /// A database that is damaged, not as the program wants it, or not to be read where it lies; any
    /// other failure says nothing about it and is thrown.
    static func unreadable(_ error: StorageError) throws(AdminFailure) -> CheckupResult {
        if error.isOlderSchema {
            return CheckupResult("database", .warning, error.description)
        }
        // The disk is to blame, of which a finding of its own tells.
        if case .walOnReadOnlyDisk = error {
            return CheckupResult("database", .broken, error.description)
        }
        guard error.kind == .badData || error.kind == .configuration else {
            throw AdminFailure(error)
        }
        return CheckupResult("database", .broken, error.description)
    }

    /// Where reports are asked.
    private var reportListeners: [String] {
        settings.reportListen.isEmpty ? settings.listen : settings.reportListen
    }

    /// For a sentence.
    static func listed(_ names: [String]) -> String { names.joined(separator: ", ") }
}
