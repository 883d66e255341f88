import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage

/// docs/operation.md, Life of the process: what the writer does once the disk is well again.
@Suite("after a failure", .tags(.long), .timeLimit(.minutes(20)))
struct AfterFailureTests {
    let folder = TemporaryFolder()
    let disk: FaultDisk
    let store: Store

    init() throws {
        disk = FaultDisk(folder.data.path)
        store = try Store.open(folder.options)
        #expect(store.writer.storeAlone(Batches.make("before")) == .stored)
    }

    private var reason: StorageError? {
        if case .failing(let error) = store.writer.readiness { error } else { nil }
    }

    /// What is on the tape from a place on, as words.
    private func steps(from place: Int) -> [String] {
        disk.tape()[place...].compactMap { record in
            switch record.operation {
            case .open: "open " + record.file
            case .truncate(let length):
                // The database is cut to its own length with each checkpoint.
                record.file == "sojourn.db" ? nil : "truncate \(record.file) to \(length)"
            case .sync: (record.hasFailed ? "fail to sync " : "sync ") + record.file
            case .mark(let number): "mark \(number)"
            case .write, .delete: nil
            }
        }
    }

    @Test("of a sync nothing is promised before a fresh connection has emptied the log")
    func freshConnection() throws {
        disk.fail(.eio, .syncs, times: 1)
        let place = disk.tape().count
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        disk.mark(1)
        #expect(store.writer.storeAlone(Batches.make("b-2")) == .stored)
        disk.mark(2)
        #expect(
            steps(from: place) == [
                "fail to sync sojourn.db-wal", "mark 1",
                "open sojourn.db", "open sojourn.db-wal",
                "sync sojourn.db-wal", "sync sojourn.db", "truncate sojourn.db-wal to 0",
                "sync sojourn.db-wal", "sync sojourn.db-wal", "mark 2",
            ])
    }

    @Test("a number that was given is not given again, although its batch is gone")
    func numbers() throws {
        func newest() throws -> Int64 {
            let last = try store.reader().integer("SELECT coalesce(max(id), 0) FROM batch")
            return try #require(last)
        }
        let given = try newest()
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("DELETE FROM event; DELETE FROM batch")
        }
        disk.fail(.eio, .syncs, times: 1)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        #expect(store.writer.storeAlone(Batches.make("b-2")) == .stored)
        #expect(try newest() > given)
    }

    @Test("of a checkpoint the same holds")
    func checkpoint() throws {
        disk.fail(.eio, .syncs, first: 2, times: 1)
        let place = disk.tape().count
        #expect(throws: StorageError.self) {
            try store.writer.perform { (connection) throws(StorageError) in
                _ = try connection.checkpoint(.passive)
            }
        }
        #expect(steps(from: place) == ["sync sojourn.db-wal", "fail to sync sojourn.db"])
        #expect(reason != nil)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        #expect(steps(from: place).contains("open sojourn.db"))
        #expect(steps(from: place).contains("truncate sojourn.db-wal to 0"))
        #expect(reason == nil)
    }

    @Test("no batch is promised while the fresh connection cannot empty the log")
    func stillFailing() throws {
        disk.fail(.eio, .syncs)
        for number in 0..<5 {
            #expect(
                store.writer.storeAlone(Batches.make("b-\(number)")) == .failed(.internalError))
        }
        #expect(reason?.kind == .io)
        disk.count()
        #expect(store.writer.storeAlone(Batches.make("b-0")) != .failed(.internalError))
        #expect(reason == nil)
    }

    @Test(
        "the writer is ready again by itself, without a batch",
        arguments: [FaultDisk.Fault.eio, .enospc, .erofs])
    func byItself(_ fault: FaultDisk.Fault) throws {
        disk.fail(fault, [.changes, .shared])
        let failure: WriteFailure = fault == .enospc ? .storageFull : .internalError
        let long = Batches.make("b-1", times: Array(repeating: Batches.noon, count: 500))
        #expect(store.writer.storeAlone(long) == .failed(failure))
        #expect(reason.map { WriteFailure($0) } == failure)
        // Its own attempts fail as well, as long as the disk does.
        let failed = disk.failed
        #expect(eventually { disk.failed > failed })
        #expect(reason != nil)
        disk.count()
        #expect(store.writer.becomesReady())
        #expect(store.writer.storeAlone(long) == .stored)
    }

    @Test("a read-only file system is named as what it is")
    func readOnly() throws {
        disk.fail(.erofs)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        let told = try #require(reason)
        #expect("\(told)".contains("read-only") && told.kind == .io, "\(told)")
        // What is stored can still be read.
        #expect(try store.reader().rows("SELECT batch_id FROM batch") == ["before"])
    }

    @Test("a start on a full disk tells so; with room the store is whole")
    func fullStart() throws {
        try store.close()
        disk.fail(.enospc, [.changes, .shared])
        let refusal = failure { _ = try Store.open(folder.options) }
        disk.count()
        let next = try Store.open(folder.options)
        #expect(refusal == nil || refusal?.kind == .storageFull, "\(refusal as Any)")
        #expect(
            next.writer.storeAlone(Batches.make("before"))
                == .duplicate(accepted: 1, rejected: 0))
    }

    @Test("damage that shows while it runs fails the batches it meets, and ends nothing")
    func damage() throws {
        try store.writer.perform { (connection) throws(StorageError) in
            _ = try connection.checkpoint(.truncate)
        }
        // The table of batches loses its head, and the writer what it has read of it.
        let page = try #require(
            try store.reader().integer("SELECT rootpage FROM sqlite_schema WHERE name = 'batch'"))
        let file = try #require(FileHandle(forWritingAtPath: folder.data.database))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xff, count: 4096))
        try file.close()
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("PRAGMA shrink_memory")
        }
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        #expect(reason?.kind == .badData, "\(reason as Any)")
    }
}
