import Sockets

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
        SettingKeys.WholeNumber.maxElements.setting,
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
        SettingKeys.Origins.corsOrigins.setting,
        SettingKeys.Engines.forwardTo.setting,
        SettingKeys.Text.forwardUser.setting,
        SettingKeys.OptionalText.forwardPasswordFile.setting,
        SettingKeys.Text.forwardDatabase.setting,
        SettingKeys.OptionalText.node.setting,
        SettingKeys.WholeNumber.forwardInterval.setting,
        SettingKeys.WholeNumber.forwardTimeout.setting,
        SettingKeys.OptionalNumber.spoolRetention.setting,
        SettingKeys.OptionalNumber.maxSpoolBytes.setting,
        SettingKeys.Text.dashboard.setting,
        SettingKeys.Text.logLevel.setting,
        SettingKeys.Text.logFormat.setting,
    ]

    package static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// The type of a setting's value, and so what a text must look like to be one.
package enum SettingKind: Sendable, Equatable {
    case text
    /// A path in the file system.
    case path
    /// `host:port`, `[v6]:port` or `unix:/path`; `off` where `mayBeOff`.
    case address(mayBeOff: Bool)
    /// Addresses of one engine or of its replicas, divided by spaces.
    case engine
    /// `scheme://host` with its port unless it is the scheme's own, or `*`.
    case origin
    case name(NameForm)
    /// Bytes: an integer, or one with KiB, MiB or GiB; `off` where `mayBeOff`.
    case size(ClosedRange<Int64>, mayBeOff: Bool = false)
    /// A plain number; `off` where `mayBeOff`.
    case count(ClosedRange<Int64>, mayBeOff: Bool = false)
    /// Milliseconds: an integer with ms, s, m, h or d; `off` where `mayBeOff`.
    case duration(ClosedRange<Int64>, mayBeOff: Bool = false)
    case choice([String])

    /// Whether a number without a unit is a value of it.
    var isNumeric: Bool {
        switch self {
        case .size, .count: true
        case .text, .path, .address, .engine, .origin, .name, .duration, .choice: false
        }
    }

    /// What a right value looks like, for error messages and the documentation.
    package var expectation: String {
        switch self {
        case .text: "a text"
        case .path: "a path"
        case .address(let mayBeOff):
            "a numeric address with its port, such as 127.0.0.1:8080 or [::1]:8080, or unix:/path"
                + (mayBeOff ? ", or off" : "")
        case .engine:
            "an engine's address such as http://127.0.0.1:8123 or https://host:8443, without user and "
                + "password (forward-user, forward-password-file), or several of replicas, divided by spaces"
        case .origin:
            "an origin as browsers send it, such as https://shop.example or http://localhost:3000, "
                + "without a path, or *"
        case .name(let form): "a name of the form \(form.rawValue)"
        case .size(let range, let mayBeOff):
            "a size in bytes or such as 64KiB, 8MiB or 1GiB, from \(SizeText.text(bytes: range.lowerBound)) to "
                + SizeText.text(bytes: range.upperBound)
                + (mayBeOff ? ", or off" : "")
        case .count(let range, let mayBeOff):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
                + (mayBeOff ? ", or off" : "")
        case .duration(let range, let mayBeOff):
            "a duration such as 500ms, 30s, 15m, 24h or 400d, from "
                + DurationText.text(milliseconds: range.lowerBound) + " to "
                + DurationText.text(milliseconds: range.upperBound) + (mayBeOff ? ", or off" : "")
        case .choice(let names): "one of " + names.joined(separator: ", ")
        }
    }

    /// Why a text is no value of it, as the end of "setting NAME from SOURCE …".
    func objection(to text: String) -> String {
        if case .address = self, let length = ListenAddress.overlongPath(in: text) {
            return "has a path of \(length) octets, and that of a socket has at most "
                + "\(ListenAddress.maxPathLength); use a shorter one"
        }
        return "is not \(expectation)"
    }
}

/// A setting's value, parsed.
package enum SettingValue: Sendable, Equatable {
    case text(String)
    case texts([String])
    /// Bytes, a count or milliseconds, by the kind.
    case number(Int64)
    case off

    /// As it is written in a configuration file.
    package var written: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ",")
        case .number(let number): String(number)
        case .off: "off"
        }
    }
}

extension JSONValue {
    /// A setting's value: numbers as numbers, several addresses as an array.
    package static func setting(_ value: SettingValue) -> JSONValue {
        switch value {
        case .text(let text): .text(text)
        case .texts(let texts): .array(texts.map(JSONValue.text))
        case .number(let number): .integer(number)
        case .off: .text("off")
        }
    }
}

/// Where a setting's value came from, the strongest last.
package enum SettingSource: Sendable, Equatable, CustomStringConvertible {
    case fallback
    case systemd(variable: String)
    case file(path: String)
    case environment(variable: String)
    case commandLine

    package var description: String {
        switch self {
        case .fallback: "default"
        case .systemd(let variable): "systemd's \(variable)"
        case .file(let path): "file \(path)"
        case .environment(let variable): "environment variable \(variable)"
        case .commandLine: "command line"
        }
    }
}
