import Database
import Glibc

/// Which processes keep a WAL from being moved to its file, as its index and the system's table of locks have it
/// (https://www.sqlite.org/walformat.html, 2.3): each reader locks a mark that says up to which frame it reads.
package struct WALReaders {
    /// The locks on marks of an older state, by their offset in the index's file.
    private let oldLocks: [Int]
    /// Of the index's file.
    private let inode: UInt64

    /// What reads the database of a connection at this moment. That connection itself is in no transaction.
    package init(of connection: Connection) throws(StorageError) {
        let path = (FileSystem.resolved(connection.path) ?? connection.path) + "-shm"
        guard let (_, index) = try connection.mappedIndex(),
            let status = try FileSystem.status(of: path)
        else {
            self.init(frames: 0, marks: [], inode: 0)
            return
        }
        func word(_ offset: Int) -> UInt32 { index.load(fromByteOffset: offset, as: UInt32.self) }
        self.init(
            frames: word(Connection.Index.frames),
            marks: (0..<Connection.Index.markCount).map {
                word(Connection.Index.marks + 4 * $0)
            }, inode: UInt64(status.st_ino))
    }

    /// - Parameters:
    ///   - frames: how many the WAL has
    ///   - marks: up to which frame each of the readers that there may be reads
    init(frames: UInt32, marks: [UInt32], inode: UInt64) {
        self.inode = inode
        oldLocks = marks.indices.filter { marks[$0] < frames }
            .map { Connection.Index.firstReaderLock + $0 }
    }

    /// Their ids, of this process's namespace alone.
    package func processes() throws(StorageError) -> [Int32] {
        // The table has no size of its own.
        let table = try FileSystem.open("/proc/locks", O_RDONLY).read(limit: 1 << 20)
        return processes(in: String(decoding: table, as: UTF8.self))
    }

    /// - Parameter locks: what proc(5) calls /proc/locks
    func processes(in locks: String) -> [Int32] {
        var found: [Int32] = []
        // 1: POSIX  ADVISORY  READ 1234 fd:01:131 124 124
        for line in locks.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 8, words[1] == "POSIX", let process = Int32(words[4]), process > 0,
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode,
                let first = Int(words[6]), let last = Int(words[7]), first <= last,
                oldLocks.contains(where: { (first...last).contains($0) }), !found.contains(process)
            else { continue }
            found.append(process)
        }
        return found
    }
}
