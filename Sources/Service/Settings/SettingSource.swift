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
