import Database
import Glibc

/// The right to write in a data directory. Given back when it goes, also by a `kill -9`.
package struct DirectoryLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    /// - Throws: `inUse`, or why there cannot be a lock.
    init(_ directory: DataDirectory) throws(StorageError) {
        let file = try Self.openFile(directory.lockFile)
        guard try file.lock() else {
            throw .inUse(directory: directory.path, process: try Self.process(in: file))
        }
        // Only for the message above; the lock is what counts, so a full disk does not matter.
        try? file.write(Array("\(getpid())\n".utf8))
        self.file = file
    }

    deinit { file.unlock() }

    /// The file stays when the lock goes: removing it would let two processes lock two files.
    private static func openFile(_ path: String) throws(StorageError) -> FileDescriptor {
        if try FileSystem.status(of: path) == nil {
            do throws(StorageError) {
                return try FileSystem.create(path)
            } catch {
                guard case .alreadyThere = error else { throw error }
            }
        }
        return try FileSystem.open(path, O_RDWR | O_NOFOLLOW)
    }

    private static func process(in file: borrowing FileDescriptor) throws(StorageError) -> Int32? {
        let text = String(decoding: try file.read(limit: 16), as: UTF8.self)
        return Int32(text.prefix { $0.isNumber })
    }
}
