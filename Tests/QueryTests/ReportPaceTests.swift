import StoreTestSupport
import Synchronization
import Testing

@testable import Query

@Suite("How reports give way")
struct ReportPaceTests {
    @Test("a thread rests twice as long as it worked, within bounds, and only while it has to")
    func rests() {
        let isUrgent = Mutex(true)
        let pace = ReportPace { isUrgent.withLock { $0 } }
        #expect(pace.rest(after: 0) == 0)
        #expect(pace.rest(after: 3_000_000) == 6_000_000)
        #expect(pace.rest(after: ReportPace.longestRest - 1) == ReportPace.longestRest)
        #expect(pace.rest(after: .max) == ReportPace.longestRest)
        let slept = Mutex<[UInt64]>([])
        let resting = ReportPace(sleep: { rest in slept.withLock { $0.append(rest) } }) {
            isUrgent.withLock { $0 }
        }
        resting.pause(after: 3_000_000)
        resting.pause(after: 0)
        isUrgent.withLock { $0 = false }
        resting.pause(after: 3_000_000)
        #expect(slept.withLock { $0 } == [6_000_000])
        #expect(pace.rest(after: 3_000_000) == 0)
        #expect(ReportPace.full.rest(after: 3_000_000) == 0)
    }

    /// What goes through segments, each in its way.
    enum Asked: CaseIterable {
        case active, sessions, events, funnel, export

        func ask(_ store: TestStore, _ environment: ReportEnvironment) throws {
            let scope = try store.scope("2026-03-28", "2026-03-28")
            let queries = SegmentQueries(store.connection, Interruption(), environment)
            switch self {
            case .active: _ = try queries.activeDevices(scope, by: .day, trailing: [1])
            case .sessions: _ = try queries.sessions(scope, by: .day, percents: [50])
            case .events: _ = try queries.events(scope, by: nil, limit: 10)
            case .funnel:
                let steps = ["p", "q"].compactMap { EventMatcher(parsing: ByteText($0)) }
                _ = try queries.funnel(scope, steps, within: day)
            case .export:
                var cursor = EventCursor(scope)
                while !cursor.isDone {
                    _ = try store.page(&cursor, limit: 1, Interruption(), environment)
                }
            }
        }
    }

    /// Six segments.
    private func store() throws -> TestStore {
        let store = try TestStore(
            (0..<6).map { SentBatch(device: "d\($0)", id: "\($0)", events: [SentEvent("p", noon)]) }
        )
        try store.pack(limit: 1)
        return store
    }

    @Test(
        "a report gives way before each segment, and an export after each page",
        arguments: Asked.allCases)
    func gives(asked: Asked) throws {
        let count = Atomic(0)
        let pace = ReportPace {
            count.add(1, ordering: .relaxed)
            return false
        }
        try asked.ask(store(), ReportEnvironment(threads: 1, pace: pace))
        // After the last page nothing follows.
        #expect(count.load(ordering: .relaxed) >= (asked == .export ? 5 : 6))
    }

    @Test("a report whose end is asked for in a scan ends before the next segment")
    func ends() throws {
        let store = try store()
        let interruption = Interruption()
        let asked = Atomic(0)
        let pace = ReportPace {
            if asked.add(1, ordering: .relaxed).newValue == 3 { interruption.raise() }
            return false
        }
        let scope = try store.scope("2026-03-28", "2026-03-28")
        let error = #expect(throws: QueryError.self) {
            try SegmentQueries(
                store.connection, interruption, ReportEnvironment(threads: 1, pace: pace)
            ).transaction { (queries) throws(QueryError) in
                try queries.events(scope, by: nil, limit: 10)
            }
        }
        #expect(error?.isInterruption == true)
        #expect(asked.load(ordering: .relaxed) == 3)
        #expect(!store.connection.isInTransaction)
    }
}
