import Database
import Dispatch
import Query
import StoreTestSupport
import Synchronization
import Testing

@Suite("Interruption")
struct InterruptionTests {
    @Test("an interrupted question throws, leaves no transaction, and works again afterwards")
    func interrupted() throws {
        let store = try TestStore(
            (0..<40).map { place in
                SentBatch(
                    device: "d\(place)", id: "1",
                    events: (0..<500).map { SentEvent("p", noon + Int64($0), "s\($0 % 7)") })
            })
        let today = try store.scope("2026-03-28", "2026-03-28")
        func ask() throws(QueryError) -> [SessionSums] {
            try SegmentQueries(store.connection).transaction { (queries) throws(QueryError) in
                try queries.sessions(today, by: .day, percents: [50])
            }
        }
        let whole = try ask()
        // Interrupting before the start does nothing, so it goes on until the question is answered.
        let connection = store.connection
        let isDone = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            while isDone.wait(timeout: .now() + .microseconds(200)) == .timedOut {
                connection.interrupt()
            }
            hasEnded.signal()
        }
        var caught: QueryError?
        while caught == nil {
            do throws(QueryError) { _ = try ask() } catch { caught = error }
        }
        isDone.signal()
        hasEnded.wait()
        // The end of its transaction may have been interrupted too: who interrupts ends it again.
        connection.rollBack()
        #expect(caught?.isInterruption == true)
        #expect(!connection.isInTransaction)
        #expect(try ask() == whole)
    }

    @Test("an export ends between two windows, while no statement is under way")
    func betweenWindows() throws {
        // Hours apart: each is found in a window of its own.
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1",
                events: (0..<20).map { SentEvent("p", noon - 10 * hour + Int64($0) * hour) })
        ])
        let scope = try store.scope("2026-03-28", "2026-03-28")
        let interruption = Interruption()
        let count = Mutex(0)
        let error = #expect(throws: QueryError.self) {
            var cursor = EventCursor(scope)
            _ = try store.page(&cursor, limit: 1 << 20, interruption) { portion in
                count.withLock { $0 += portion }
                interruption.raise()
            }
        }
        #expect(error?.isInterruption == true)
        #expect((1..<20).contains(count.withLock { $0 }))
        #expect(!store.connection.isInTransaction)
        var cursor = EventCursor(scope)
        #expect(try store.page(&cursor, limit: 1 << 20) == 20)
        #expect(cursor.isDone)
    }
}
