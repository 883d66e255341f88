/// One setting: everything that the command line, the environment, the configuration file, the
/// help and the documentation need to know of it.
package struct Setting: Sendable {
    /// As in `--max-body-bytes` and in the configuration file.
    package let name: String
    package let kind: SettingKind
    /// The default, as it would be written; nil for none.
    package let fallback: String?
    /// May be given more than once (an array in the file, with commas in the environment).
    package let isRepeatable: Bool
    package let help: String

    init(
        _ name: String, _ kind: SettingKind, default fallback: String?, repeatable: Bool = false,
        _ help: String
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        isRepeatable = repeatable
        self.help = help
    }

    /// `SOJOURN_MAX_BODY_BYTES`.
    package var variable: String {
        "SOJOURN_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Every setting there is, in the order of the documentation (docs/operation.md, Settings).
    package static let all: [Setting] = [
        SettingKeys.Addresses.listen.setting,
        SettingKeys.Addresses.reportListen.setting,
        SettingKeys.OptionalText.adminListen.setting,
        SettingKeys.Text.data.setting,
        SettingKeys.OptionalText.masterKeyFile.setting,
        SettingKeys.WholeNumber.maxBodyBytes.setting,
        SettingKeys.WholeNumber.maxInflatedBytes.setting,
        SettingKeys.WholeNumber.maxBatchEvents.setting,
        SettingKeys.WholeNumber.maxHeaderBytes.setting,
        SettingKeys.WholeNumber.maxHeaderFields.setting,
        SettingKeys.WholeNumber.maxRequestLineBytes.setting,
        SettingKeys.WholeNumber.maxConnections.setting,
        SettingKeys.WholeNumber.maxBufferedBytes.setting,
        SettingKeys.WholeNumber.maxAnswerBytes.setting,
        SettingKeys.WholeNumber.maxNames.setting,
        SettingKeys.WholeNumber.headerTimeout.setting,
        SettingKeys.WholeNumber.bodyTimeout.setting,
        SettingKeys.WholeNumber.idleTimeout.setting,
        SettingKeys.WholeNumber.writeTimeout.setting,
        SettingKeys.WholeNumber.maxPendingBatches.setting,
        SettingKeys.WholeNumber.shutdownTimeout.setting,
        SettingKeys.WholeNumber.maxEventAge.setting,
        SettingKeys.OptionalNumber.retention.setting,
        SettingKeys.WholeNumber.reportMinGroup.setting,
        SettingKeys.WholeNumber.reportTimeout.setting,
        SettingKeys.WholeNumber.reportMemory.setting,
        SettingKeys.OptionalNumber.rateLimit.setting,
        SettingKeys.Text.logLevel.setting,
        SettingKeys.Text.logFormat.setting,
    ]

    package static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
