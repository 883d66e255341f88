import CSQLite
import Glibc

/// Everything that can go wrong with files and the database. No case holds what a device sent, a secret
/// or a token; paths, names of apps, keys and tokens are the operator's own.
package enum StorageError: Error, Sendable {
    /// The database was locked by another connection for longer than the timeout.
    case lockedFor(path: String, milliseconds: Int32)
    /// The WAL could not be moved to the file: another connection still reads an older state.
    case walHeld(path: String)
    /// The WAL has something in it, and nothing can be made beside it that it is read with.
    case walOnReadOnlyDisk(path: String)
    case cannotCreate(path: String, errno: Int32)
    /// A file would be overwritten.
    case alreadyThere(path: String)
    /// A system call on `path` failed.
    case system(operation: StaticString, path: String, errno: Int32)
    /// SQLite returned an error. `code` is its extended result code, `reason` its message, `errno` the
    /// system's error below it, 0 where there was none.
    case database(operation: StaticString, path: String, code: Int32, reason: String, errno: Int32)
    /// The file does not hold what was written to it. `found` ends a sentence.
    case damaged(path: String, found: String)
    /// An error that a room above defines, in that room's words.
    case other(Other)

    /// An error of a room above: what it is, which way it failed, and one line for people.
    package struct Other: Sendable {
        /// Distinguishes it from others.
        package let name: String
        /// Which way it failed.
        package let kind: Kind
        /// One line: what was done to what, how it failed, what to do.
        package let description: String

        /// An error of a room above.
        package init(_ name: String, _ kind: Kind, _ description: String) {
            self.name = name
            self.kind = kind
            self.description = description
        }
    }

    /// Whether it is the error of a room above that has this name.
    package func isOther(_ name: String) -> Bool {
        if case .other(let other) = self { other.name == name } else { false }
    }
}

extension StorageError: CustomStringConvertible {
    /// What to do about a damaged database.
    package static let recovery =
        "move sojourn.db and what begins with its name away, leave erased and master.key, "
        + "and bring back a backup with sojourn restore"

    /// One line: what was done to what, how it failed, what to do.
    package var description: String {
        switch self {
        case .lockedFor(let path, let milliseconds):
            "\(path) stayed locked for \(milliseconds) ms; end what else has it open and try again"
        case .walHeld(let path):
            "the log of \(path) is held up by a reader; end what has it open"
        case .walOnReadOnlyDisk(let path):
            "the log \(path) cannot be read on a read-only file system; "
                + "copy its directory to a writable one, and name the copy with --data"
        case .cannotCreate(let path, let errno):
            "cannot create \(path): \(Self.reason(errno)); \(Self.advice(errno))"
        case .alreadyThere(let path):
            "cannot create \(path): it is there already; use an empty directory"
        case .system(let operation, let path, let errno):
            "cannot \(operation) \(path): \(Self.reason(errno)); \(Self.advice(errno))"
        case .database(let operation, let path, let code, let reason, let errno):
            "cannot \(operation) \(path): \(reason) (\(code))"
                + (errno == 0 ? "" : ", \(Self.reason(errno))")
                + (Self.advice(code: code, errno: errno).map { "; \($0)" } ?? "")
        case .damaged(let path, let found):
            "\(path) is damaged: \(found); the file was left as it is: \(Self.recovery)"
        case .other(let other):
            other.description
        }
    }

    private static func reason(_ errno: Int32) -> String {
        String(cString: strerror(errno)).lowercased()
    }

    /// Nil where SQLite's own message is all there is.
    private static func advice(code: Int32, errno: Int32) -> String? {
        switch code & 0xff {
        case SQLITE_FULL: advice(ENOSPC)
        // SQLITE_READONLY_DBMOVED, which is no constant that Swift imports.
        case SQLITE_READONLY where code == SQLITE_READONLY | 4 << 8:
            "it was moved or removed while it was open: start again"
        case SQLITE_READONLY:
            "make the file and its directory writable for this user, or run as their owner"
        case SQLITE_IOERR where errno == 0: advice(EIO)
        default: errno == 0 ? nil : advice(errno)
        }
    }

    private static func advice(_ errno: Int32) -> String {
        switch errno {
        case EACCES, EPERM: "run as its owner"
        case ENOSPC, EDQUOT: "make room on its disk"
        case EROFS: "mount its file system writable"
        case ENOENT, ENOTDIR: "check the path"
        case EMFILE, ENFILE: "raise the limit of descriptors"
        default: "check the disk and the permissions"
        }
    }
}

extension StorageError {
    /// Which way it failed, for exit codes and statuses.
    package enum Kind: Sendable {
        case busy, cannotCreate, io, badData, configuration, notFound, exists, usage
        /// The disk or a quota is full.
        case storageFull
        /// Our own fault.
        case software

        /// The exit code of `sysexits.h` (docs/operation.md, Exit codes).
        package var exitCode: Int32 {
            switch self {
            case .usage: 64
            case .badData, .notFound, .exists: 65
            case .software: 70
            case .cannotCreate: 73
            case .io, .storageFull: 74
            case .busy: 75
            case .configuration: 78
            }
        }
    }

    /// Which way this one failed.
    package var kind: Kind {
        switch self {
        case .lockedFor, .walHeld: .busy
        case .walOnReadOnlyDisk: .io
        case .cannotCreate, .alreadyThere: .cannotCreate
        case .system(_, _, let errno): Self.isFull(errno) ? .storageFull : .io
        case .database(_, _, let code, _, let errno): Self.kind(code: code, errno: errno)
        case .damaged: .badData
        case .other(let other): other.kind
        }
    }

    /// Whether its user may not write there.
    package var isForbidden: Bool {
        let code: Int32
        switch self {
        case .cannotCreate(_, let errno), .system(_, _, let errno): code = errno
        case .database(_, _, _, _, let errno): code = errno
        default: return false
        }
        return [EACCES, EPERM, EROFS].contains(code)
    }

    /// Whether the batch may be at fault, not the disk: what it broke is undone by the
    /// rollback, and another batch may well be stored.
    package var mayLieInBatch: Bool { kind == .software && !leavesWALInDoubt }

    /// Whether a failed sync may be the cause: what the connection wrote is then in doubt. SQLite's
    /// SQLITE_FULL alone is a write that did not happen, which a rollback undoes.
    package var leavesWALInDoubt: Bool {
        if case .damaged = self { return true }
        guard case .database(_, _, let code, _, _) = self else { return false }
        return switch code & 0xff {
        case SQLITE_FULL, SQLITE_BUSY, SQLITE_CONSTRAINT, SQLITE_INTERRUPT, SQLITE_TOOBIG,
            SQLITE_MISMATCH, SQLITE_ERROR, SQLITE_RANGE:
            false
        default: true
        }
    }

    private static func kind(code: Int32, errno: Int32) -> Kind {
        if isFull(errno) { return .storageFull }
        return switch code & 0xff {
        case SQLITE_FULL: .storageFull
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .badData
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .io
        default: .software
        }
    }

    private static func isFull(_ errno: Int32) -> Bool { errno == ENOSPC || errno == EDQUOT }
}

extension StorageError {
    /// SQLite's error for a statement that was interrupted.
    package static func interrupted(path: String) -> StorageError {
        .database(
            operation: "read", path: path, code: SQLITE_INTERRUPT, reason: "interrupted", errno: 0)
    }

    /// Whether `Connection.interrupt` ended it.
    package var isInterruption: Bool {
        guard case .database(_, _, let code, _, _) = self else { return false }
        return code & 0xff == SQLITE_INTERRUPT
    }
}
