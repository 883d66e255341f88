import Database
import Glibc
import Service

/// A file that is written at the end of something long: that it cannot be is said at its beginning, and what it
/// held before stays until then.
struct NewFile {
    private let path: String
    /// What becomes the file.
    private let draft: String

    /// Beside what lies there, which is replaced only if it is a regular file.
    /// - Throws: `AdminFailure` where it cannot be written; `usage` where no file is named.
    init(_ path: String) throws(AdminFailure) {
        guard !path.isEmpty, path != "-" else {
            throw AdminFailure(
                .usage, "the truth is written to a file, and not to standard output; name one")
        }
        self.path = path
        draft = path + ".new"
        for path in [path, draft] { try Self.requireReplaceable(path) }
        try fill([])
    }

    /// A name that is another's link, pipe, socket or device would be gone when the file takes its place.
    private static func requireReplaceable(_ path: String) throws(AdminFailure) {
        let kind: FileKind?
        do throws(StorageError) { kind = try FileSystem.entry(at: path).map { FileKind($0) } } catch
        {
            throw AdminFailure(error)
        }
        guard let kind, kind != .regular else { return }
        throw AdminFailure(
            .cannotCreate,
            "cannot write \(path): it is \(kind.rawValue); name a regular file, or what is not there yet"
        )
    }

    func write(_ bytes: [UInt8]) throws(AdminFailure) {
        try fill(bytes)
        guard rename(draft, path) == 0 else { throw failure() }
    }

    /// Nothing comes of it.
    func discard() { unlink(draft) }

    private func fill(_ bytes: [UInt8]) throws(AdminFailure) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        let descriptor = open(draft, flags, 0o644)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        let output = FileOutput(descriptor: descriptor)
        output.write(bytes)
        try output.check()
    }

    private func failure() -> AdminFailure {
        AdminFailure(
            .cannotCreate, "cannot write \(path): \(String(cString: strerror(errno)).lowercased())")
    }
}
