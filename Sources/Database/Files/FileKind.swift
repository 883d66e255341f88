import Glibc

/// What lies at a path (stat(2), `st_mode`). A file that somebody else has put there is asked for its kind before it is
/// opened: a pipe keeps its opener waiting for a writer, a device may act on being opened or have no end.
package enum FileKind: String, Sendable {
    case regular = "a regular file"
    case directory = "a directory"
    case pipe = "a pipe"
    case socket = "a socket"
    case device = "a device"
    /// Only where the status is that of the name itself (lstat(2)).
    case link = "a symbolic link"

    /// The kind that a file's status names.
    package init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            case S_IFLNK: .link
            default: .device
            }
    }

    /// - Throws: `notRegular` where it is anything but a regular file.
    package func requireRegular(_ path: String) throws(StorageError) {
        guard self == .regular else { throw .notRegular(path: path, kind: self) }
    }
}

extension StorageError {
    /// Something else lies where a regular file should.
    static func notRegular(path: String, kind: FileKind) -> StorageError {
        .other(
            Other(
                "not regular", .io,
                "cannot read \(path): it is \(kind.rawValue); put a regular file there, or name one"
            ))
    }
}
