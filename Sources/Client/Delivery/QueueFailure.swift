import Glibc

/// Why the queue on disk could not be used: what, with which file, and how it failed.
package struct QueueFailure: Error, Equatable, CustomStringConvertible {
    /// What was tried, as `open` or `write`.
    package let action: String
    /// The file or folder.
    package let path: String
    /// How it failed.
    package let reason: String

    /// One line to show.
    package var description: String { "cannot \(action) \(path): \(reason)" }

    init(_ action: String, _ path: String, reason: String) {
        self.action = action
        self.path = path
        self.reason = reason
    }

    /// With what the system says about `code`.
    init(_ action: String, _ path: String, errno code: Int32) {
        self.init(action, path, reason: String(cString: strerror(code)))
    }
}
