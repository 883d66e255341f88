import Dispatch
import Events
import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("whether the writer gets on, for systemd's watchdog")
struct WriterStallTests {
    let folder = TemporaryFolder()

    private func open() throws -> Store {
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        return store
    }

    @Test(
        "it stands still while it owes an answer, or the end of administrative work, and gets nothing done"
    )
    func stall() throws {
        let store = try open()
        #expect(store.writer.stall == 0)
        let hold = store.writer.hold()
        #expect(eventually { store.writer.stall >= 1_000_000 })
        let reply = Hold()
        #expect(store.writer.submit(Batches.make("b-1")) { _ in reply.stay() } == nil)
        hold.release()
        reply.waitUntilHeld()
        #expect(eventually { store.writer.stall > 0 })
        let early = store.writer.stall
        #expect(eventually { store.writer.stall >= early + 1_000_000 })
        reply.release()
        #expect(eventually { store.writer.stall == 0 })
    }

    @Test("work that gets on is no stall, however long it takes")
    func progress() throws {
        let store = try open()
        #expect(store.writer.storeAlone(Batches.make("b-1")) == .stored)
        let enough = Atomic(false)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            // Rows go by until the test has seen it.
            try? store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                while !enough.load(ordering: .relaxed) {
                    _ = try connection.integer(
                        """
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)
                        SELECT sum(i) FROM n
                        """)
                }
            }
            done.signal()
        }
        // Asked so often that some look falls behind a step; a stall would only grow.
        var longest: UInt64 = 0
        let end = Deadline.after(1_000_000_000)
        while !Deadline.hasPassed(end) {
            longest = max(longest, store.writer.stall)
            usleep(10_000)
        }
        enough.store(true, ordering: .relaxed)
        done.wait()
        #expect(longest < 500_000_000)
    }
}
