import Database
import Dispatch
import Query
import StoreTestSupport
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

    @Test("an export ends between two events, although each is a statement of its own")
    func betweenEvents() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1", events: (0..<5000).map { SentEvent("p", noon + Int64($0)) })
        ])
        // All are found with the first event: from then on there is no search to be interrupted.
        var found = EventCursor(try store.scope("2026-03-28", "2026-03-28"))
        #expect(try store.page(&found, limit: 1) == 1)
        func page(_ interruption: Interruption) throws(QueryError) -> Int {
            var cursor = found
            return try store.page(&cursor, limit: 1 << 20, interruption)
        }
        var count = 0
        let whole = try ContinuousClock().measure { count = try page(Interruption()) }
        #expect(count == 4999)
        let third = Int(whole / .microseconds(3))
        // A queue with a thread of its own, whatever the other tests are at.
        let clock = DispatchQueue(label: "interruption")
        var caught: QueryError?
        // Once more, and sooner, where this machine was too busy to raise it in time.
        for attempt in 0..<20 where caught == nil {
            let interruption = Interruption()
            clock.asyncAfter(deadline: .now() + .microseconds(third >> attempt)) {
                interruption.raise()
            }
            do throws(QueryError) { _ = try page(interruption) } catch { caught = error }
        }
        #expect(caught?.isInterruption == true)
        #expect(!store.connection.isInTransaction)
    }
}
