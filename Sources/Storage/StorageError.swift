import CSQLite
import Glibc

/// Everything that can go wrong in the data directory. No case holds what a device sent, a secret or
/// a token; paths, names of apps, keys and tokens are the operator's own.
package enum StorageError: Error, Sendable {
    /// Another process holds the directory's lock; its process id where the lock file tells it.
    case inUse(directory: String, process: Int32?)
    /// The database was locked by another connection for longer than the timeout.
    case lockedFor(path: String, milliseconds: Int32)
    /// The log could not be moved to the file: another connection still reads an older state.
    case logHeld(path: String)
    /// A start was cut off while it wrote the log anew: only the next one can bring it back.
    case startCutOff(path: String)
    /// The log has something in it, and nothing can be made beside it that it is read with.
    case logOnReadOnlyDisk(path: String)
    case cannotCreate(path: String, errno: Int32)
    /// A backup would be overwritten, a restore would replace a database.
    case alreadyThere(path: String)
    /// A database is where one is to be restored.
    case databaseThere(path: String)
    /// A backup would lie in what it is a copy of.
    case backupInside(path: String, directory: String)
    /// A system call on `path` failed.
    case system(operation: StaticString, path: String, errno: Int32)
    /// SQLite refused. `code` is its extended result code, `reason` its message, `errno` what the
    /// system said below it, 0 where it said nothing.
    case database(operation: StaticString, path: String, code: Int32, reason: String, errno: Int32)
    /// What stands in the file is not what was written there. `found` ends a sentence.
    case damaged(path: String, found: String)
    /// What is to be restored is not what `backup` made. `found` ends a sentence.
    case badBackup(path: String, found: String)
    /// A line of the file `erased`, counted from 1.
    case badReceipt(path: String, line: Int)
    case newerSchema(path: String, version: Int64, known: Int64)
    /// A migration that has run has another text in this program.
    case changedMigration(path: String, version: Int64)
    /// The schema is older than this program's and only `serve` or `migrate` may change it.
    case olderSchema(path: String, version: Int64, known: Int64)
    case keyMissing(path: String, database: String)
    case keyMalformed(path: String)
    case keyOfAnother(path: String, database: String)
    case notFound(Entity, name: String)
    case exists(Entity, name: String)
    /// A value that the registry cannot hold. `rule` says what it must be.
    case invalid(value: String, rule: StaticString)
    /// A batch that breaks what the schema takes for granted: our own fault.
    case unstorable(rule: StaticString)
    /// The writer has been closed.
    case closed

    /// What a command can name.
    package enum Entity: String, Sendable {
        case app, key, token, device
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
        case .inUse(let directory, let process):
            "data directory \(directory) is in use"
                + (process.map { " by process \($0)" } ?? "")
                + "; stop that one or use another --data"
        case .lockedFor(let path, let milliseconds):
            "\(path) stayed locked for \(milliseconds) ms; end what else has it open and try again"
        case .logHeld(let path):
            "the log of \(path) is held up by a reader; end what has it open"
        case .startCutOff(let path):
            "\(path) says that a start was cut off; start the server, and try again"
        case .logOnReadOnlyDisk(let path):
            "the log \(path) cannot be read on a read-only file system; "
                + "copy its directory to a writable one, and name the copy with --data"
        case .cannotCreate(let path, let errno):
            "cannot create \(path): \(Self.reason(errno)); \(Self.advice(errno))"
        case .alreadyThere(let path):
            "cannot create \(path): it is there already; use an empty directory"
        case .databaseThere(let path):
            "cannot create \(path): it is there already; move it and what begins with its name away, "
                + "and leave erased and master.key"
        case .backupInside(let path, let directory):
            "cannot create \(path): it lies in the data directory \(directory); "
                + "use a folder elsewhere, best on another disk"
        case .system(let operation, let path, let errno):
            "cannot \(operation) \(path): \(Self.reason(errno)); \(Self.advice(errno))"
        case .database(let operation, let path, let code, let reason, let errno):
            "cannot \(operation) \(path): \(reason) (\(code))"
                + (errno == 0 ? "" : ", \(Self.reason(errno))")
                + (Self.advice(code: code, errno: errno).map { "; \($0)" } ?? "")
        case .damaged(let path, let found):
            "\(path) is damaged: \(found); the file was left as it is: \(Self.recovery)"
        case .badBackup(let path, let found):
            "\(path) is no whole backup: \(found); nothing was restored: use another backup"
        case .badReceipt(let path, let line):
            "line \(line) of \(path) is no receipt of an erasure; "
                + "bring this line back from a backup's file erased, or take it out"
        case .newerSchema(let path, let version, let known):
            "\(path) has schema \(version), this program knows \(known); use a newer program"
        case .changedMigration(let path, let version):
            "\(path) was made by another text of migration \(version); use the program that made it"
        case .olderSchema(let path, let version, let known):
            "\(path) has schema \(version), this program needs \(known); run sojourn migrate"
        case .keyMissing(let path, let database):
            "no master key at \(path), but \(database) was made with one; bring the key back"
        case .keyMalformed(let path):
            "\(path) is no master key: it must be exactly 32 octets; bring the right one back"
        case .keyOfAnother(let path, let database):
            "\(path) is not the master key \(database) was made with; bring the right one back"
        case .notFound(let entity, let name):
            "no such \(entity.rawValue): \(name); see sojourn \(entity.rawValue) list"
        case .exists(let entity, let name):
            "\(entity.rawValue) \(name) exists already; choose another name"
        case .invalid(let value, let rule):
            "'\(value)' will not do: \(rule)"
        case .unstorable(let rule):
            "a batch cannot be stored: \(rule)"
        case .closed:
            "the database is closed"
        }
    }

    private static func reason(_ errno: Int32) -> String {
        String(cString: strerror(errno)).lowercased()
    }

    /// Nil where SQLite's own words are all there is to say.
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
