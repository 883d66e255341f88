import Database
import Glibc

/// Who besides its owner may use a file or a directory (docs/operation.md, The data directory).
package struct FileAccess: Equatable, Sendable {
    /// What lies there: how much others may be allowed depends on it.
    package enum Role: Sendable, CaseIterable {
        case directory
        case masterKey
        /// A file that holds a password.
        case password
        case database
        case other
    }

    /// As given. Symbolic links are followed: it is the file that has a mode and an owner.
    package let path: String
    package let role: Role
    /// The permissions alone.
    package let mode: UInt32
    /// The user's id.
    package let owner: UInt32

    /// Nil where there is none, or it cannot be looked at.
    package init?(_ path: String, _ role: Role) {
        guard let status = try? FileSystem.status(of: path) else { return nil }
        self.init(path: path, role: role, mode: status.st_mode & 0o7777, owner: status.st_uid)
    }

    package init(path: String, role: Role, mode: UInt32, owner: UInt32) {
        self.path = path
        self.role = role
        self.mode = mode
        self.owner = owner
    }

    /// Any user of the machine could put a key, a database or a command of their own here: `serve`
    /// refuses to start.
    package var isRefused: Bool { mode & role.refused != 0 }

    /// Others than its owner may use it, and `serve` warns.
    package var isWarned: Bool { mode & role.warned != 0 }

    /// Nobody but the owner may use it.
    package var isPrivate: Bool { mode & 0o077 == 0 }

    /// One line: the path, its mode, who may do what, and the command that mends it.
    package var description: String {
        let who = [("its group", mode >> 3), ("others", mode)].compactMap { name, bits in
            role.verbs(bits & 0o7).map { "\(name) may \($0)" }
        }
        return "\(role.noun)\(path) has mode \(Self.octal(mode)): "
            + "\(who.joined(separator: " and ")) it; "
            + "chmod \(Self.octal(role.wanted)) \(Self.word(path))"
    }

    /// `0640`.
    private static func octal(_ mode: UInt32) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// As a shell takes it for one word.
    private static func word(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "/"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        if isPlain { return path }
        let quoted = path.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + quoted.joined(separator: #"'\''"#) + "'"
    }
}

extension FileAccess.Role {
    /// Bits that `serve` does not start with.
    fileprivate var refused: UInt32 {
        switch self {
        case .directory, .masterKey, .password: 0o002
        case .database, .other: 0
        }
    }

    /// Bits that `serve` warns of. Volumes of a cluster belong to a group that may write them.
    fileprivate var warned: UInt32 {
        switch self {
        case .directory: 0o020 | 0o055
        case .masterKey, .password: 0o020 | 0o044
        case .database: 0o044
        case .other: 0
        }
    }

    fileprivate var wanted: UInt32 { self == .directory ? 0o700 : 0o600 }

    fileprivate var noun: String {
        switch self {
        case .directory: "data directory "
        case .masterKey: "master key "
        case .password: "password "
        case .database: "database "
        case .other: ""
        }
    }

    /// What three bits allow; nil where they are zero.
    fileprivate func verbs(_ bits: UInt32) -> String? {
        let all: [(UInt32, String)] = [
            (4, "read"), (2, "write"), (1, self == .directory ? "enter" : "execute"),
        ]
        let allowed = all.compactMap { bits & $0 == 0 ? nil : $1 }
        guard let last = allowed.last else { return nil }
        let others = allowed.dropLast()
        return others.isEmpty ? last : others.joined(separator: ", ") + " and " + last
    }
}

extension DataDirectory {
    /// What has to be the server's user's alone, so far as it is there.
    /// - Parameters:
    ///   - masterKey: where the key lies; nil: systemd keeps it
    ///   - password: where the engine's password lies; nil: there is none, or systemd keeps it
    package func guarded(masterKey: String?, password: String? = nil) -> [FileAccess] {
        [
            FileAccess(path, .directory), masterKey.flatMap { FileAccess($0, .masterKey) },
            password.flatMap { FileAccess($0, .password) }, FileAccess(database, .database),
        ].compactMap(\.self)
    }
}
