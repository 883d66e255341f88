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
