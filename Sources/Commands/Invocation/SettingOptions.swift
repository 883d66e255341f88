import ArgumentParser
import Service

/// Every setting but `data`, which is in `SharedOptions`, for help, completions and manual pages
/// alone: `NamedValues` has taken what was given.
struct SettingOptions: ParsableArguments {
    @Option(SettingKeys.Addresses.listen.setting) var listen: [String]
    @Option(SettingKeys.Addresses.reportListen.setting) var reportListen: [String]
    @Option(SettingKeys.OptionalText.adminListen.setting) var adminListen: String?
    @Option(SettingKeys.OptionalText.masterKeyFile.setting) var masterKeyFile: String?
    @Option(SettingKeys.WholeNumber.maxBodyBytes.setting) var maxBodyBytes: String?
    @Option(SettingKeys.WholeNumber.maxInflatedBytes.setting) var maxInflatedBytes: String?
    @Option(SettingKeys.WholeNumber.maxBatchEvents.setting) var maxBatchEvents: String?
    @Option(SettingKeys.WholeNumber.maxElements.setting) var maxElements: String?
    @Option(SettingKeys.WholeNumber.maxHeaderBytes.setting) var maxHeaderBytes: String?
    @Option(SettingKeys.WholeNumber.maxHeaderFields.setting) var maxHeaderFields: String?
    @Option(SettingKeys.WholeNumber.maxRequestLineBytes.setting) var maxRequestLineBytes: String?
    @Option(SettingKeys.WholeNumber.maxConnections.setting) var maxConnections: String?
    @Option(SettingKeys.WholeNumber.maxBufferedBytes.setting) var maxBufferedBytes: String?
    @Option(SettingKeys.WholeNumber.maxAnswerBytes.setting) var maxAnswerBytes: String?
    @Option(SettingKeys.WholeNumber.maxNames.setting) var maxNames: String?
    @Option(SettingKeys.WholeNumber.headerTimeout.setting) var headerTimeout: String?
    @Option(SettingKeys.WholeNumber.bodyTimeout.setting) var bodyTimeout: String?
    @Option(SettingKeys.WholeNumber.idleTimeout.setting) var idleTimeout: String?
    @Option(SettingKeys.WholeNumber.writeTimeout.setting) var writeTimeout: String?
    @Option(SettingKeys.WholeNumber.maxPendingBatches.setting) var maxPendingBatches: String?
    @Option(SettingKeys.WholeNumber.shutdownTimeout.setting) var shutdownTimeout: String?
    @Option(SettingKeys.WholeNumber.maxEventAge.setting) var maxEventAge: String?
    @Option(SettingKeys.OptionalNumber.retention.setting) var retention: String?
    @Option(SettingKeys.WholeNumber.reportMinGroup.setting) var reportMinGroup: String?
    @Option(SettingKeys.WholeNumber.reportTimeout.setting) var reportTimeout: String?
    @Option(SettingKeys.WholeNumber.reportMemory.setting) var reportMemory: String?
    @Option(SettingKeys.OptionalNumber.rateLimit.setting) var rateLimit: String?
    @Option(SettingKeys.Origins.corsOrigins.setting) var corsOrigins: [String]
    @Option(SettingKeys.Engines.forwardTo.setting) var forwardTo: [String]
    @Option(SettingKeys.Text.forwardUser.setting) var forwardUser: String?
    @Option(SettingKeys.OptionalText.forwardPasswordFile.setting) var forwardPasswordFile: String?
    @Option(SettingKeys.Text.forwardDatabase.setting) var forwardDatabase: String?
    @Option(SettingKeys.OptionalText.node.setting) var node: String?
    @Option(SettingKeys.WholeNumber.forwardInterval.setting) var forwardInterval: String?
    @Option(SettingKeys.WholeNumber.forwardTimeout.setting) var forwardTimeout: String?
    @Option(SettingKeys.OptionalNumber.spoolRetention.setting) var spoolRetention: String?
    @Option(SettingKeys.OptionalNumber.maxSpoolBytes.setting) var maxSpoolBytes: String?
    @Option(SettingKeys.Text.dashboard.setting) var dashboard: String?
    @Option(SettingKeys.Text.logLevel.setting) var logLevel: String?
    @Option(SettingKeys.Text.logFormat.setting) var logFormat: String?

    /// The table's words, the default and the variable.
    static func help(_ setting: Setting) -> ArgumentHelp {
        let text = setting.help.prefix(1).uppercased() + setting.help.dropFirst()
        let fallback = setting.fallback.map { "; \($0) unless given" } ?? ""
        return ArgumentHelp("\(text)\(fallback). [\(setting.variable)]", valueName: value(setting))
    }

    private static func value(_ setting: Setting) -> String {
        switch setting.kind {
        case .text: "text"
        case .engine: "url"
        case .origin: "origin"
        case .name: "name"
        case .path: "path"
        case .address: "address"
        case .size: "size"
        case .count: "number"
        case .duration: "duration"
        case .choice: setting.name
        }
    }
}

extension Option where Value == String? {
    fileprivate init(_ setting: Setting) {
        self.init(
            name: .customLong(setting.name), help: SettingOptions.help(setting),
            completion: setting.kind.completion)
    }
}

extension Option where Value == [String] {
    fileprivate init(_ setting: Setting) {
        self.init(
            wrappedValue: [], name: .customLong(setting.name), help: SettingOptions.help(setting),
            completion: setting.kind.completion)
    }
}

extension SettingKind {
    fileprivate var completion: CompletionKind {
        switch self {
        case .path: .file()
        case .choice(let names): .list(names)
        case .text, .address, .engine, .origin, .name, .size, .count, .duration: .default
        }
    }
}
