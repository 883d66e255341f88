import Storage

/// All settings in force, each with where it came from (docs/operation.md, Settings).
package struct Settings: Sendable {
    /// Name, value (nil: not set) and source, in the table's order.
    package let origins: [(name: String, value: SettingValue?, source: SettingSource)]
    private let values: [String: SettingValue]
    private let credentials: String?

    /// - Parameter credentials: the folder of systemd's credentials; nil: there are none
    init(
        values: [String: (value: SettingValue, source: SettingSource)], credentials: String?
    ) throws {
        self.credentials = credentials
        self.values = values.mapValues(\.value)
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

    package var listen: [String] { texts("listen") }
    /// Empty: reports stand on `listen`.
    package var reportListen: [String] { texts("report-listen") }
    /// Nil: none.
    package var adminListen: String? { text("admin-listen") }
    package var data: String { text("data") ?? "./data" }
    package var masterKeyFile: String? { text("master-key-file") }
    /// The master key's file, unless it is a credential: whose modes those have is systemd's affair.
    package var guardedKey: String? {
        guard let file = masterKeyFile else { return DataDirectory(data).masterKey }
        return credentials.map { file.hasPrefix($0 + "/") } == true ? nil : file
    }
    /// Octets.
    package var maxBodyBytes: Int { number("max-body-bytes") }
    package var maxInflatedBytes: Int { number("max-inflated-bytes") }
    package var maxBatchEvents: Int { number("max-batch-events") }
    package var maxHeaderBytes: Int { number("max-header-bytes") }
    package var maxHeaderFields: Int { number("max-header-fields") }
    package var maxRequestLineBytes: Int { number("max-request-line-bytes") }
    package var maxConnections: Int { number("max-connections") }
    package var maxBufferedBytes: Int { number("max-buffered-bytes") }
    package var maxAnswerBytes: Int { number("max-answer-bytes") }
    package var maxNames: Int { number("max-names") }
    package var maxPendingBatches: Int { number("max-pending-batches") }
    /// Milliseconds, as all durations here.
    package var headerTimeout: Int64 { Int64(number("header-timeout")) }
    package var bodyTimeout: Int64 { Int64(number("body-timeout")) }
    package var idleTimeout: Int64 { Int64(number("idle-timeout")) }
    package var writeTimeout: Int64 { Int64(number("write-timeout")) }
    package var shutdownTimeout: Int64 { Int64(number("shutdown-timeout")) }
    package var maxEventAge: Int64 { Int64(number("max-event-age")) }
    /// Milliseconds; nil: nothing is pruned.
    package var retention: Int64? {
        if case .number(let age) = values["retention"] { age } else { nil }
    }
    package var reportTimeout: Int64 { Int64(number("report-timeout")) }
    /// Octets.
    package var reportMemory: Int { number("report-memory") }
    package var reportMinGroup: Int { number("report-min-group") }
    /// Batches a second of one device; nil: as many as come.
    package var rateLimit: Int? {
        if case .number(let number) = values["rate-limit"] { Int(number) } else { nil }
    }
    package var logLevel: String { text("log-level") ?? "info" }
    package var logFormat: String { text("log-format") ?? "text" }

    private func text(_ name: String) -> String? {
        if case .text(let text) = values[name] { text } else { nil }
    }

    private func texts(_ name: String) -> [String] {
        if case .texts(let texts) = values[name] { texts } else { [] }
    }

    private func number(_ name: String) -> Int {
        if case .number(let number) = values[name] { Int(number) } else { 0 }
    }
}
