import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

/// Sources/CLogBuffer.
@Suite("what is written to the log")
struct WALBufferTests {
    let folder: TemporaryFolder
    let disk: FaultDisk

    init() throws {
        folder = try Workload.prepare()
        disk = FaultDisk(folder.data.path)
    }

    /// Writes and syncs of the log, in order, a write as its range.
    private func steps(from place: Int) -> [Range<Int>?] {
        disk.tape()[place...].compactMap { record in
            guard record.file == "sojourn.db-wal" else { return nil }
            switch record.operation {
            case .write(let offset, let bytes): return offset..<offset + bytes.count
            case .sync: return .some(nil)
            case .open, .truncate, .delete, .mark: return nil
            }
        }
    }

    private func times(_ count: Int) -> [Int64] { (0..<count).map { Batches.noon + Int64($0) } }

    @Test("goes to the system in one piece a commit, before the sync")
    func onePiece() throws {
        let store = try Store.open(folder.options)
        #expect(store.writer.storeAlone(Batches.make("b-0")) == .stored)
        let place = disk.tape().count
        #expect(store.writer.storeAlone(Batches.make("b-1", times: times(500))) == .stored)
        let steps = steps(from: place)
        #expect(steps.count == 2 && steps.last == .some(nil))
        let written = try #require(steps.first ?? nil)
        #expect(written.count > 4 * 4120 && written.count % 4120 == 0)
    }

    @Test("is never more than the buffer at once, and whole")
    func large() throws {
        let store = try Store.open(folder.options)
        let place = disk.tape().count
        for id in ["b-0", "b-1"] {
            #expect(store.writer.storeAlone(Batches.make(id, times: times(8192))) == .stored)
        }
        let written = steps(from: place).compactMap { $0 }
        #expect(written.count > 2 && written.allSatisfy { $0.count < 1 << 17 })
        for (piece, next) in zip(written, written.dropFirst()) where next.lowerBound > 32 {
            #expect(piece.upperBound == next.lowerBound)
        }
        #expect(try store.reader().integer("SELECT count(*) FROM event") == 16_384)
    }

    /// A transaction of which pages leave the cache before it ends.
    private func spill(_ connection: Connection, _ prefix: String) throws(StorageError) {
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO meta (name, value) SELECT '\(prefix)' || i, randomblob(3000) FROM n
            """)
    }

    @Test("is read again by the transaction that wrote it, before and after its end")
    func ownPages() throws {
        let connection = try Connection(
            path: folder.data.database, mode: .write, cacheBytes: 64 << 10)
        let count = "SELECT sum(length(value)) FROM meta WHERE name LIKE 'a%'"
        try connection.transaction { () throws(StorageError) in
            try spill(connection, "a")
            #expect(try connection.integer(count) == 300_000)
        }
        #expect(try connection.integer(count) == 300_000)
        let reader = try Connection(path: folder.data.database, mode: .read)
        #expect(try reader.integer(count) == 300_000)
        #expect(try reader.rows("PRAGMA integrity_check") == ["ok"])
    }

    @Test("goes with a rollback: another connection may have written there since")
    func rollback() throws {
        let path = folder.data.database
        let first = try Connection(path: path, mode: .write, cacheBytes: 64 << 10)
        try first.execute("BEGIN IMMEDIATE")
        try spill(first, "a")
        first.rollBack()
        let second = try Connection(path: path, mode: .write)
        try second.execute("BEGIN IMMEDIATE")
        try spill(second, "b")
        try second.execute("COMMIT")
        for connection in [first, second, try Connection(path: path, mode: .read)] {
            #expect(
                try connection.rows(
                    "SELECT substr(name, 1, 1), count(*) FROM meta "
                        + "WHERE length(value) = 3000 GROUP BY 1") == ["b|100"])
            #expect(try connection.rows("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test(
        "is not there where it could not be written, and the next commit is",
        arguments: [FaultDisk.Fault.eio, .enospc, .short])
    func failing(_ fault: FaultDisk.Fault) throws {
        let store = try Store.open(folder.options)
        disk.fail(fault, .writes, times: 1)
        let outcome = store.writer.storeAlone(Batches.make("b-0", times: times(500)))
        #expect(outcome == .failed(fault == .eio ? .internalError : .storageFull))
        #expect(disk.failed == 1)
        #expect(store.writer.storeAlone(Batches.make("b-1", times: times(500))) == .stored)
        #expect(try store.reader().rows("SELECT batch_id FROM batch") == ["b-1"])
    }
}
