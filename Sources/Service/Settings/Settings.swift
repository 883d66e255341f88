import Curl
import Engine
import HTTP1
import Ingest
import Storage

/// All settings in force, each with where it came from (docs/operation.md, Settings).
package struct Settings: Sendable {
    /// Name, value (nil: not set) and source, in the table's order.
    package let origins: [(name: String, value: SettingValue?, source: SettingSource)]
    private let credentials: String?
    package let listen: [String]
    /// Empty: reports stand on `listen`.
    package let reportListen: [String]
    /// Nil: none.
    package let adminListen: String?
    package let data: String
    package let masterKeyFile: String?
    /// Bytes.
    package let maxBodyBytes: Int
    package let maxInflatedBytes: Int
    package let maxBatchEvents: Int
    package let maxElements: Int
    package let maxHeaderBytes: Int
    package let maxHeaderFields: Int
    package let maxRequestLineBytes: Int
    package let maxConnections: Int
    package let maxBufferedBytes: Int
    package let maxAnswerBytes: Int
    package let maxNames: Int
    package let maxPendingBatches: Int
    /// Milliseconds, as all durations here.
    package let headerTimeout: Int64
    package let bodyTimeout: Int64
    package let idleTimeout: Int64
    package let writeTimeout: Int64
    package let shutdownTimeout: Int64
    package let maxEventAge: Int64
    /// Milliseconds; nil: nothing is pruned.
    package let retention: Int64?
    package let reportTimeout: Int64
    /// Bytes.
    package let reportMemory: Int
    package let reportMinGroup: Int
    /// Batches a second of one device; nil: as many as come.
    package let rateLimit: Int?
    /// Browsers' origins that may post to `/v1/logs`.
    package let corsOrigins: [String]
    /// Where batches are handed over to; nil: nowhere.
    package let forward: ForwardSettings?
    /// The page stands where reports do.
    package let dashboard: Bool
    package let logLevel: String
    package let logFormat: String

    /// - Parameter credentials: the folder of systemd's credentials; nil: there are none
    init(
        values: [String: (value: SettingValue, source: SettingSource)], credentials: String?
    ) throws {
        self.credentials = credentials
        let read = SettingReader(values: values.mapValues(\.value))
        listen = try read.addresses(.listen)
        reportListen = try read.addresses(.reportListen)
        adminListen = try read.optionalText(.adminListen)
        data = try read.text(.data)
        masterKeyFile = try read.optionalText(.masterKeyFile)
        maxBodyBytes = Int(try read.number(.maxBodyBytes))
        maxInflatedBytes = Int(try read.number(.maxInflatedBytes))
        maxBatchEvents = Int(try read.number(.maxBatchEvents))
        maxElements = Int(try read.number(.maxElements))
        maxHeaderBytes = Int(try read.number(.maxHeaderBytes))
        maxHeaderFields = Int(try read.number(.maxHeaderFields))
        maxRequestLineBytes = Int(try read.number(.maxRequestLineBytes))
        maxConnections = Int(try read.number(.maxConnections))
        maxBufferedBytes = Int(try read.number(.maxBufferedBytes))
        maxAnswerBytes = Int(try read.number(.maxAnswerBytes))
        maxNames = Int(try read.number(.maxNames))
        maxPendingBatches = Int(try read.number(.maxPendingBatches))
        headerTimeout = try read.number(.headerTimeout)
        bodyTimeout = try read.number(.bodyTimeout)
        idleTimeout = try read.number(.idleTimeout)
        writeTimeout = try read.number(.writeTimeout)
        shutdownTimeout = try read.number(.shutdownTimeout)
        maxEventAge = try read.number(.maxEventAge)
        retention = try read.optionalNumber(.retention)
        reportTimeout = try read.number(.reportTimeout)
        reportMemory = Int(try read.number(.reportMemory))
        reportMinGroup = Int(try read.number(.reportMinGroup))
        rateLimit = (try read.optionalNumber(.rateLimit)).map(Int.init)
        corsOrigins = read.origins(.corsOrigins)
        forward = try read.forward()
        dashboard = try read.text(.dashboard) == "on"
        logLevel = try read.text(.logLevel)
        logFormat = try read.text(.logFormat)
        origins = Setting.all.map {
            ($0.name, values[$0.name]?.value, values[$0.name]?.source ?? .fallback)
        }
        if maxBufferedBytes < maxBodyBytes {
            throw SettingsError(
                description: "setting max-buffered-bytes is smaller than max-body-bytes; "
                    + "no body of that size could ever be read: raise it")
        }
    }

    /// Somebody has set it: it is not the default.
    func isGiven(_ name: String) -> Bool {
        origins.contains { $0.name == name && $0.source != .fallback }
    }

    /// The master key's file, unless it is a credential: whose modes those have is systemd's affair.
    package var guardedKey: String? {
        guard let file = masterKeyFile else { return DataDirectory(data).masterKey }
        return isCredential(file) ? nil : file
    }

    /// The file of the engine's password, unless it is a credential.
    package var guardedPassword: String? {
        forward?.passwordFile.flatMap { isCredential($0) ? nil : $0 }
    }

    private func isCredential(_ file: String) -> Bool {
        credentials.map { file.hasPrefix($0 + "/") } == true
    }
}

/// Reads values by typed keys.
private struct SettingReader {
    let values: [String: SettingValue]

    func number(_ key: SettingKeys.WholeNumber) throws(SettingsError) -> Int64 {
        guard case .number(let number) = values[key.setting.name] else {
            throw missing(key.setting)
        }
        return number
    }

    func optionalNumber(_ key: SettingKeys.OptionalNumber) throws(SettingsError) -> Int64? {
        switch values[key.setting.name] {
        case .number(let number): number
        case .off: nil
        default: throw missing(key.setting)
        }
    }

    func text(_ key: SettingKeys.Text) throws(SettingsError) -> String {
        guard case .text(let text) = values[key.setting.name] else { throw missing(key.setting) }
        return text
    }

    func optionalText(_ key: SettingKeys.OptionalText) throws(SettingsError) -> String? {
        switch values[key.setting.name] {
        case .text(let text): text
        case .off, nil: nil
        default: throw missing(key.setting)
        }
    }

    func addresses(_ key: SettingKeys.Addresses) throws(SettingsError) -> [String] {
        switch values[key.setting.name] {
        case .texts(let texts): texts
        case .off: []
        default: throw missing(key.setting)
        }
    }

    func origins(_ key: SettingKeys.Origins) -> [String] {
        guard case .texts(let texts) = values[key.setting.name] else { return [] }
        return texts
    }

    func forward() throws(SettingsError) -> ForwardSettings? {
        guard case .texts(let texts) = values[SettingKeys.Engines.forwardTo.setting.name] else {
            return nil
        }
        guard let node = try optionalText(.node) else {
            throw SettingsError(
                description: "setting forward-to needs setting node: a name for this node, "
                    + "which no other that hands over to the same engine has")
        }
        let shards: [[ServerAddress]]
        do throws(AddressFailure) { shards = try EngineAccess.shards(parsing: texts) } catch {
            throw SettingsError(description: "setting forward-to: \(error)")
        }
        return ForwardSettings(
            shards: shards, user: try text(.forwardUser),
            passwordFile: try optionalText(.forwardPasswordFile),
            database: try text(.forwardDatabase), node: node,
            interval: try number(.forwardInterval), timeout: try number(.forwardTimeout),
            spoolRetention: try optionalNumber(.spoolRetention),
            maxSpoolBytes: try optionalNumber(.maxSpoolBytes))
    }

    /// Only where the table of settings lacks one, or gives it a kind that does not fit its key.
    private func missing(_ setting: Setting) -> SettingsError {
        SettingsError(description: "setting \(setting.name) has no value of its type")
    }
}

extension Settings {
    /// Of the control socket, besides `max-connections`.
    static let controlConnections = 16
    /// Of the admin listener.
    static let adminConnections = 64

    /// Connections of all listeners together.
    package var totalConnections: Int {
        Self.controlConnections + maxConnections * (reportListen.isEmpty ? 1 : 2)
            + (adminListen == nil ? 0 : Self.adminConnections)
    }

    /// The settings as the rooms below take them.
    package var storage: Store.Options {
        Store.Options(directory: DataDirectory(data), masterKeyFile: masterKeyFile)
    }

    /// Those of them that delete, and wait while nobody vouches for the clock.
    package var waitingForClock: [String] {
        (retention == nil ? [] : ["retention"])
            + (forward?.spoolRetention == nil ? [] : ["spool-retention"])
    }

    /// - Parameter floor: shared by all judges
    func ingestLimits(_ floor: EventFloor) -> IngestLimits {
        IngestLimits(
            maxInflatedBytes: maxInflatedBytes, maxBatchEvents: maxBatchEvents,
            maxElements: maxElements, maxEventAge: maxEventAge, floor: floor)
    }

    var httpLimits: RequestLimits {
        var limits = RequestLimits()
        limits.requestLineBytes = maxRequestLineBytes
        limits.headerBytes = maxHeaderBytes
        limits.headerFields = maxHeaderFields
        return limits
    }

    var httpTimeouts: Timeouts {
        var timeouts = Timeouts()
        timeouts.header = headerTimeout * 1_000_000
        timeouts.body = bodyTimeout * 1_000_000
        timeouts.idle = idleTimeout * 1_000_000
        timeouts.write = writeTimeout * 1_000_000
        return timeouts
    }
}
