import Events
import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import Database
@testable import Storage

@Suite("writes that fail (docs/operation.md, Life of the process)")
struct FailureTests {
    let folder = TemporaryFolder()
    let store: Store
    private let failures: Failures

    private final class Failures: Sendable {
        let count = Atomic(0)
        let recovered = Atomic(0)
    }

    init() throws {
        let failures = Failures()
        var options = folder.options
        options.observer.failed = { _ in failures.count.add(1, ordering: .relaxed) }
        options.observer.recovered = { failures.recovered.add(1, ordering: .relaxed) }
        store = try Store.open(options)
        self.failures = failures
    }

    private func limitPages(_ count: Int64?) throws {
        try store.writer.perform { (connection) throws(StorageError) in
            let now = try connection.integer("PRAGMA page_count") ?? 0
            try connection.execute("PRAGMA max_page_count=\(count.map { now + $0 } ?? 1_000_000)")
        }
    }

    private var isReady: Bool { if case .ready = store.writer.readiness { true } else { false } }

    @Test("on a full disk all of a group fails, nothing of it is kept, and it goes on by itself")
    func full() throws {
        #expect(store.writer.storeAlone(Batches.make("before", device: 1)) == .stored)
        try limitPages(3)
        let long = Array(repeating: Batches.noon - 5, count: 5000)
        let group = [
            Batches.make("b-1", device: 1, times: [Batches.noon - 1], version: "2.0", name: "x"),
            Batches.make("b-2", device: 2, shared: true),
            Batches.make("b-3", device: 3, times: long),
        ]
        #expect(
            store.writer.storeTogether(group) == Array(repeating: .failed(.storageFull), count: 3))
        #expect(!isReady)
        #expect(failures.count.load(ordering: .relaxed) == 1)
        let reader = try store.reader()
        #expect(try reader.rows("SELECT batch_id FROM batch") == ["before"])
        #expect(try reader.integer("SELECT count(*) FROM event") == 1)
        #expect(try reader.integer("SELECT count(*) FROM device") == 1)
        try limitPages(nil)
        // The codes of the failed transaction must be forgotten, or these rows would point nowhere.
        #expect(store.writer.storeTogether(group) == Array(repeating: .stored, count: 3))
        #expect(isReady)
        #expect(failures.recovered.load(ordering: .relaxed) == 1)
        #expect(
            try reader.rows(
                """
                SELECT batch_id, hex(hash), shared, device.first_time, service_version,
                       (SELECT group_concat(DISTINCT text) FROM event JOIN name ON name.id = event.name
                        WHERE event.id >> 13 = batch.id)
                FROM batch JOIN device ON device.id = device
                    JOIN resource ON resource.id = resource ORDER BY batch_id
                """)
                == [
                    row("b-1", 1, shared: 0, Batches.noon - 1, "2.0", "x"),
                    row("b-2", 2, shared: 1, Batches.noon, "1.0", "screen.view"),
                    row("b-3", 3, shared: 0, Batches.noon - 5, "1.0", "screen.view"),
                    row("before", 1, shared: 0, Batches.noon - 1, "1.0", "screen.view"),
                ])
        #expect(try reader.rows("PRAGMA foreign_key_check(event)") == [])
    }

    private func row(
        _ id: String, _ device: Int, shared: Int, _ first: Int64, _ version: String, _ name: String
    ) -> String {
        "\(id)|\(Batches.device(device).hex.uppercased())|\(shared)|\(first)|\(version)|\(name)"
    }

    @Test("a full disk that has room again is noticed without a batch")
    func probing() throws {
        try limitPages(1)
        let long = Array(repeating: Batches.noon, count: 5000)
        #expect(store.writer.storeAlone(Batches.make("b", times: long)) == .failed(.storageFull))
        #expect(!isReady)
        try limitPages(nil)
        #expect(store.writer.becomesReady())
    }

    @Test("after a failed sync nothing is stored before a fresh connection has moved the whole log")
    func doubtfulLog() throws {
        #expect(store.writer.storeAlone(Batches.make("before")) == .stored)
        #expect(try contents(of: folder.data.database + "-wal").count > 0)
        // As a failed sync would: the connection is gone, and the file cannot be opened anew.
        #expect(throws: StorageError.self) {
            try store.writer.perform { (_) throws(StorageError) -> Void in
                throw StorageError.failedSync
            }
        }
        let database = folder.data.database
        try FileManager.default.moveItem(atPath: database, toPath: database + ".away")
        try FileManager.default.createDirectory(
            atPath: database, withIntermediateDirectories: false)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        #expect(!isReady)
        try FileManager.default.removeItem(atPath: database)
        try FileManager.default.moveItem(atPath: database + ".away", toPath: database)
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        #expect(isReady)
        #expect(
            try store.reader().rows("SELECT batch_id FROM batch ORDER BY id") == ["before", "b-1"])
    }

    @Test(
        "a reader that holds the log up keeps the writer from promising anything",
        .timeLimit(.minutes(20)))
    func heldLog() throws {
        #expect(store.writer.storeAlone(Batches.make("before")) == .stored)
        let reader = try store.reader()
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM batch")
        #expect(store.writer.storeAlone(Batches.make("after")) == .stored)
        #expect(throws: StorageError.self) {
            try store.writer.perform { (_) throws(StorageError) -> Void in
                throw StorageError.failedSync
            }
        }
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        try reader.execute("COMMIT")
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        #expect(try reader.integer("SELECT count(*) FROM batch") == 3)
    }

    @Test("work that refuses for its own reasons is no trouble of the writer's")
    func refusals() throws {
        #expect(throws: StorageError.self) {
            try store.writer.perform { (_) throws(StorageError) -> Void in
                throw .notFound(.app, name: "x")
            }
        }
        #expect(isReady)
    }

    @Test("work that leaves its transaction open has it rolled back")
    func openTransaction() throws {
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.execute("BEGIN; INSERT INTO name (text) VALUES ('x')")
        }
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        #expect(try store.reader().rows("SELECT text FROM name") == ["screen.view"])
    }
}

extension StorageError {
    /// A sync that failed, as SQLite tells it: SQLITE_IOERR_FSYNC.
    fileprivate static let failedSync = StorageError.database(
        operation: "write", path: "", code: 10 | 4 << 8, reason: "", errno: 5)
}
