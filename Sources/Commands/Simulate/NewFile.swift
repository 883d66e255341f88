import Glibc
import Service

/// A file that is written at the end of something long: that it cannot be is said at its beginning, and what it
/// held before stays until then.
struct NewFile {
    private let path: String
    /// What becomes the file.
    private let draft: String

    /// - Throws: `AdminFailure` where it cannot be written.
    init(_ path: String) throws(AdminFailure) {
        self.path = path
        draft = path + ".new"
        try fill([])
    }

    func write(_ bytes: [UInt8]) throws(AdminFailure) {
        try fill(bytes)
        guard rename(draft, path) == 0 else { throw failure() }
    }

    /// Nothing comes of it.
    func discard() { unlink(draft) }

    private func fill(_ bytes: [UInt8]) throws(AdminFailure) {
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
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
