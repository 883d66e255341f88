import Storage
import Synchronization
import Testing

@testable import Query
@testable import Reports

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

    @Test(
        "a report gives way before each segment, and an export after each page",
        arguments: ["active", "sessions", "events", "funnel", "export"])
    func gives(name: String) throws {
        let store = try TestStore(
            (0..<6).map { SentBatch(device: "d\($0)", id: "\($0)", events: [SentEvent("p", noon)]) }
        )
        try store.pack(limit: 1)
        let asked = Atomic(0)
        let pace = ReportPace {
            asked.add(1, ordering: .relaxed)
            return false
        }
        let environment = ReportEnvironment(threads: 1, pace: pace)
        var parameters = range("2026-03-28", "2026-03-28")
        if name == "funnel" { parameters += [("step", "p"), ("step", "q")] }
        let question = try store.question(name, parameters)
        if name == "export" {
            var pages = ExportLines(question)
            while !pages.isDone {
                _ = try pages.next(
                    store.connection, limit: 1, interruption: Interruption(), environment)
            }
        } else {
            let report = try ReportRunner.run(
                question, store.connection, interruption: Interruption(), environment
            ) { _ in false }
            #expect(report != nil)
        }
        // After the last page nothing follows.
        #expect(asked.load(ordering: .relaxed) >= (name == "export" ? 5 : 6))
    }

    @Test("a report whose end is asked for in a scan ends before the next segment")
    func ends() throws {
        let store = try TestStore(
            (0..<6).map { SentBatch(device: "d\($0)", id: "\($0)", events: [SentEvent("p", noon)]) }
        )
        try store.pack(limit: 1)
        let interruption = Interruption()
        let asked = Atomic(0)
        let pace = ReportPace {
            if asked.add(1, ordering: .relaxed).newValue == 3 { interruption.raise() }
            return false
        }
        let question = try store.question("events", range("2026-03-28", "2026-03-28"))
        let error = #expect(throws: QueryError.self) {
            try ReportRunner.run(
                question, store.connection, interruption: interruption,
                ReportEnvironment(threads: 1, pace: pace)
            ) { _ in false }
        }
        #expect(error?.isInterruption == true)
        #expect(asked.load(ordering: .relaxed) == 3)
        #expect(!store.connection.isInTransaction)
    }
}
