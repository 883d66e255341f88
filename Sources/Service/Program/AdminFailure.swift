/// Why an operation or a command could not be done: one line for people and the exit code that says
/// the same to programs (docs/operation.md, Exit codes).
package struct AdminFailure: Error, Codable, Sendable, Equatable, CustomStringConvertible {
    package let exit: ExitStatus
    package let description: String
    /// True where a file could not be written because its user may not.
    package let isForbidden: Bool?

    package init(_ exit: ExitStatus, _ description: String, isForbidden: Bool? = nil) {
        self.exit = exit
        self.description = description
        self.isForbidden = isForbidden
    }

    /// How it begins where a key's text is not taken; then comes why.
    package static let importRefusal = "cannot import the key: "

    /// Something that only a node with an engine can do.
    package static let noEngine = AdminFailure(
        .configuration, "no engine: set forward-to, in the configuration file or the environment")
}

/// How a command ended: `sysexits.h` (docs/operation.md, Exit codes).
package enum ExitStatus: Int32, Codable, Sendable, CaseIterable {
    case ok = 0
    /// Wrong usage, an unknown option.
    case usage = 64
    /// Something is broken, or there is no such app, key, token or device.
    case dataError = 65
    /// An address is in use, a server is away.
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case io = 74
    /// The data directory is in use: try again.
    case busy = 75
    /// Wrong settings, a newer schema.
    case configuration = 78

    package var meaning: String {
        switch self {
        case .ok: "done"
        case .usage: "wrong usage, unknown option"
        case .dataError: "bad data, or no such app, key, token or device"
        case .unavailable: "address in use, server away"
        case .software: "internal error"
        case .cannotCreate: "cannot create a file"
        case .io: "input or output failed"
        case .busy: "data directory in use, try again"
        case .configuration: "wrong settings"
        }
    }
}
