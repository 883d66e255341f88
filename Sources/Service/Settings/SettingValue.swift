/// A setting's value, parsed.
package enum SettingValue: Sendable, Equatable {
    case text(String)
    case texts([String])
    /// Octets, a count or milliseconds, as the kind says.
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
