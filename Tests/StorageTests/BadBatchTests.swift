import Events
import Foundation
import StoreTestSupport
import Synchronization
import Testing

@testable import Database
@testable import Storage

@Suite("a batch that cannot be stored takes no other with it")
struct BadBatchTests {
    let folder = TemporaryFolder()
    let store: Store
    private let told: Told

    private final class Told: Sendable {
        let failures = Mutex<[StorageError.Kind]>([])
        let commits = Mutex<[WriterObserver.Commit]>([])
    }

    init() throws {
        let told = Told()
        var options = folder.options
        options.observer.failed = { failure in
            told.failures.withLock { $0.append(failure.error.kind) }
        }
        options.observer.committed = { commit in told.commits.withLock { $0.append(commit) } }
        store = try Store.open(options)
        _ = try store.registry.addApp("shop")
        self.told = told
    }

    /// Breaks a rule of the schema: one code twice.
    private func bad(_ id: String, device: Int = 1) -> AcceptedBatch {
        var batch = Batches.make(id, device: device, version: "bad", name: "bad")
        batch.rejectionCounts = Array(
            repeating: RejectionCount(code: "invalid-name", count: 1, firstIndex: 0), count: 2)
        return batch
    }

    private var isReady: Bool { if case .ready = store.writer.readiness { true } else { false } }

    private func stored() throws -> [String] {
        try store.reader().rows("SELECT batch_id FROM batch ORDER BY id")
    }

    @Test("the others of its group are stored, and repeats of them found", arguments: 0..<4)
    func group(_ place: Int) throws {
        var group = [Batches.make("b-1"), Batches.make("b-2", device: 2), Batches.make("b-1")]
        // Its device, resource and name are new, and must not be remembered after the rollback.
        group.insert(bad("bad", device: 3), at: place)
        var wanted: [WriteOutcome] = [.stored, .stored, .duplicate(accepted: 1, rejected: 0)]
        wanted.insert(.failed(.internalError), at: place)
        #expect(store.writer.storeTogether(group) == wanted)
        #expect(try stored() == ["b-1", "b-2"])
        #expect(isReady)
        #expect(told.failures.withLock { $0 } == [.software])
        try store.writer.perform { _ in }
        let commits = told.commits.withLock { $0 }
        #expect(commits.count == 1 && commits.first?.batches == 3 && commits.first?.repeats == 1)
        let good = Batches.make("good", device: 3, version: "bad", name: "bad")
        #expect(store.writer.storeAlone(good) == .stored)
        #expect(try store.reader().rows("PRAGMA foreign_key_check") == [])
    }

    @Test("alone it fails without trouble for the writer")
    func alone() throws {
        #expect(store.writer.storeAlone(bad("bad")) == .failed(.internalError))
        #expect(isReady)
        #expect(told.commits.withLock { $0.isEmpty })
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        #expect(try stored() == ["b-1"])
    }

    @Test("a disk that fills up meanwhile fails the rest; what was stored stays stored")
    func full() throws {
        #expect(store.writer.storeAlone(Batches.make("before")) == .stored)
        try store.writer.perform { (connection) throws(StorageError) in
            let pages = try connection.integer("PRAGMA page_count") ?? 0
            try connection.execute("PRAGMA max_page_count=\(pages + 3)")
        }
        let long = Batches.make("long", times: Array(repeating: Batches.noon, count: 5000))
        #expect(
            store.writer.storeTogether([
                Batches.make("b-1"), bad("bad"), long, Batches.make("b-2"),
            ]) == [
                .stored, .failed(.internalError), .failed(.storageFull), .failed(.storageFull),
            ])
        #expect(try stored() == ["before", "b-1"])
        #expect(!isReady)
        #expect(told.failures.withLock { $0 } == [.storageFull])
    }
}
