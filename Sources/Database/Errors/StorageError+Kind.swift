import CSQLite
import Glibc

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
        case .lockedFor, .logHeld: .busy
        case .logOnReadOnlyDisk: .io
        case .cannotCreate, .alreadyThere: .cannotCreate
        case .system(_, _, let errno): Self.isFull(errno) ? .storageFull : .io
        case .database(_, _, let code, _, let errno): Self.kind(code: code, errno: errno)
        case .damaged: .badData
        case .other(let other): other.kind
        }
    }

    /// Whether what was to be written may be at fault, not the disk: what it broke is undone by the
    /// rollback, and another batch may well be stored.
    package var mayLieInBatch: Bool { kind == .software && !leavesLogInDoubt }

    /// Whether a failed sync may lie below: what the connection wrote is then in doubt. SQLite's
    /// SQLITE_FULL alone is a write that did not happen, which a rollback undoes.
    package var leavesLogInDoubt: Bool {
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
