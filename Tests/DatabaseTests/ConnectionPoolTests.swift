import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import Database

@Suite("connections that are lent")
struct ConnectionPoolTests {
    private let folder = TemporaryFolder()

    private func pool(_ limit: Int, _ opened: OpenCount) -> ConnectionPool {
        ConnectionPool(limit: limit) { () throws(StorageError) in
            opened.count.withLock { $0 += 1 }
            return try Connection(path: ":memory:", mode: .memory)
        }
    }

    private final class OpenCount: Sendable {
        let count = Mutex(0)
    }

    @Test("are no more than the limit, and come back")
    func limit() throws {
        let opened = OpenCount()
        let pool = pool(2, opened)
        for _ in 0..<3 {
            let nested = try pool.lend { (first) throws(StorageError) in
                try pool.lend { (second) throws(StorageError) in
                    #expect(first !== second && first.isInTransaction && second.isInTransaction)
                    return try pool.lend { (_) throws(StorageError) in true }
                }
            }
            #expect(nested == .some(.some(.none)))
        }
        #expect(opened.count.withLock { $0 } == 2)
    }

    @Test("come back when what was asked of them fails, in no transaction")
    func failures() throws {
        let opened = OpenCount()
        let pool = pool(1, opened)
        for _ in 0..<3 {
            #expect(throws: StorageError.self) {
                try pool.lend { (_) throws(StorageError) in throw .closed }
            }
        }
        #expect(opened.count.withLock { $0 } == 1)
    }

    @Test("see what was written before they are lent, and nothing that is written meanwhile")
    func state() throws {
        let path = folder.path + "/file"
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let writer = try Connection(path: path, mode: .copy)
        try writer.setJournalModeWAL()
        try writer.execute("CREATE TABLE t (a)")
        let pool = ConnectionPool(limit: 1) { () throws(StorageError) in
            try Connection(path: path, mode: .read)
        }
        for count in 0..<3 as Range<Int64> {
            let seen = try pool.lend { (connection) throws(StorageError) in
                let before = try connection.integer("SELECT count(*) FROM t")
                try writer.execute("INSERT INTO t VALUES (1)")
                return [before, try connection.integer("SELECT count(*) FROM t")]
            }
            #expect(seen == [count, count])
        }
    }

    @Test("are not lent where none can be opened, or after the end")
    func none() throws {
        let broken = ConnectionPool(limit: 1) { () throws(StorageError) in throw .closed }
        for _ in 0..<3 { #expect(try broken.lend { (_) throws(StorageError) in true } == nil) }
        let pool = pool(1, OpenCount())
        let lent = try pool.lend { (_) throws(StorageError) in
            pool.close()
            return true
        }
        #expect(lent == true)
        #expect(try pool.lend { (_) throws(StorageError) in true } == nil)
    }
}
