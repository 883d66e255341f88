import CPageCache
import CSQLite
import Foundation
import StoreTestSupport
import Testing

@testable import Database

@Suite("pages in memory")
struct PageCacheTests {
    /// Rows in an order in which trees are balanced over and over, some in each transaction, and some undone.
    private static func fill(
        _ connection: Connection, rows: Int64, atOnce: Int64, bytes: Int
    ) throws(StorageError) {
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
        try connection.execute("CREATE INDEX i ON t (b)")
        let insert = try connection.prepare("INSERT INTO t VALUES (?1, randomblob(\(bytes)))")
        var number: Int64 = 0
        while number < rows {
            try connection.execute("BEGIN")
            for _ in 0..<atOnce {
                number += 1
                // An odd factor: each number comes once.
                try insert.bind(1, (number &* 0x9e37_79b9) & 0xffff_ffff)
                try insert.run()
            }
            try connection.execute(number / atOnce % 8 == 3 ? "ROLLBACK" : "COMMIT")
        }
    }

    @Test("are found again after trees were balanced, in a file smaller than 1 GiB")
    func balance() async {
        // Alone: other tests have files with pages of another size.
        await #expect(processExitsWith: .success) {
            let folder = TemporaryFolder()
            let path = folder.path + "/file"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            let connection = try Connection(path: path, mode: .copy)
            try connection.configureNewFile()
            try connection.setJournalModeWAL()
            let before = cpagecache_put_aside()
            try Self.fill(connection, rows: 40_000, atOnce: 100, bytes: 60)
            #expect(cpagecache_put_aside() > before)
            #expect(try connection.integer("SELECT count(*) FROM t") == 35_000)
            // Pages move, and their numbers with them.
            try connection.execute("DELETE FROM t WHERE a % 3 = 0")
            let pages = try connection.integer("PRAGMA page_count") ?? 0
            try connection.execute("PRAGMA incremental_vacuum")
            #expect(try connection.integer("PRAGMA page_count") ?? 0 < pages)
            #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
            #expect(try connection.rows("PRAGMA page_size") == ["4096"])
            let again = try Connection(path: path, mode: .read)
            #expect(try again.rows("PRAGMA integrity_check") == ["ok"])
        }
    }

    /// The numbers that pages got, before and after.
    private nonisolated(unsafe) static var numbers: [[UInt32]] = []

    /// Methods that note these, and do nothing else.
    private static func noting() -> sqlite3_pcache_methods2 {
        var methods = sqlite3_pcache_methods2()
        methods.xCreate = { _, _, _ in nil }
        methods.xRekey = { _, _, before, after in Self.numbers.append([before, after]) }
        return methods
    }

    /// Runs `body` on another thread, and waits for it on this one.
    private static func onOtherThread(_ body: @escaping @Sendable () -> Void) {
        let ended = DispatchSemaphore(value: 0)
        Thread {
            body()
            ended.signal()
        }.start()
        ended.wait()
    }

    @Test("are put aside where no page is, and only in files of pages of 4 KiB")
    func numbers() async {
        await #expect(processExitsWith: .success) {
            let methods = cpagecache_around(Self.noting())
            let (one, other) = (OpaquePointer(bitPattern: 8), OpaquePointer(bitPattern: 16))
            func swapNumbers() throws -> [[UInt32]] {
                let first = try #require(
                    UnsafeMutablePointer<sqlite3_pcache_page>(bitPattern: 0x1000))
                let second = try #require(
                    UnsafeMutablePointer<sqlite3_pcache_page>(bitPattern: 0x2000))
                Self.numbers = []
                for cache in [one, other] {
                    methods.xRekey(cache, first, 7, 262_145)
                    methods.xRekey(cache, second, 9, 7)
                    methods.xRekey(cache, first, 262_145, 9)
                }
                return Self.numbers
            }
            _ = methods.xCreate(4096, 0, 1)
            let aside: [[UInt32]] = [[7, 0], [9, 7], [0, 9]]
            var swapped = try swapNumbers()
            #expect(swapped == aside + aside)
            _ = methods.xCreate(512, 0, 1)
            let plain: [[UInt32]] = [[7, 262_145], [9, 7], [262_145, 9]]
            swapped = try swapNumbers()
            #expect(swapped == plain + plain)
        }
    }

    @Test("come back from where they were put, whatever other threads do meanwhile")
    func threads() async {
        await #expect(processExitsWith: .success) {
            nonisolated(unsafe) let methods = cpagecache_around(Self.noting())
            let cache = OpaquePointer(bitPattern: 8)
            let page = try #require(UnsafeMutablePointer<sqlite3_pcache_page>(bitPattern: 0x1000))
            _ = methods.xCreate(4096, 0, 1)
            methods.xRekey(cache, page, 7, 262_145)
            Self.onOtherThread {
                let cache = OpaquePointer(bitPattern: 16)
                let page = UnsafeMutablePointer<sqlite3_pcache_page>(bitPattern: 0x2000)
                methods.xRekey(cache, page, 3, 262_145)
                methods.xRekey(cache, page, 262_145, 5)
                _ = methods.xCreate(512, 0, 1)
            }
            methods.xRekey(cache, page, 262_145, 9)
            let numbers = Self.numbers
            #expect(numbers == [[7, 0], [3, 0], [0, 5], [0, 9]])
        }
    }
}
