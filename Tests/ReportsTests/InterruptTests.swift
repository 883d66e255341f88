import Dispatch
import Events
import Query
import Reports
import Storage
import Testing

@testable import Database

@Suite("Interruption")
struct InterruptTests {
    @Test("an interrupted report throws, leaves no transaction, and works again afterwards")
    func interrupted() throws {
        let store = try TestStore(
            (0..<40).map { place in
                SentBatch(
                    device: "d\(place)", id: "1",
                    events: (0..<500).map { SentEvent("p", noon + Int64($0), "s\($0 % 7)") })
            })
        let today = range("2026-03-28", "2026-03-28")
        let whole = try store.ask("sessions", today).json
        // Interrupting before the start does nothing, so it goes on until the report ends.
        let connection = store.connection
        let isDone = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            while isDone.wait(timeout: .now() + .microseconds(200)) == .timedOut {
                connection.interrupt()
            }
            hasEnded.signal()
        }
        var caught: (any Error)?
        while caught == nil {
            do { _ = try store.ask("sessions", today) } catch { caught = error }
        }
        isDone.signal()
        hasEnded.wait()
        // The end of its transaction may have been interrupted too: who interrupts ends it again.
        connection.rollBack()
        #expect(caught?.isInterruption == true)
        #expect(!connection.isInTransaction)
        #expect(try store.ask("sessions", today).json == whole)
    }

    @Test(
        "a report whose end was asked for between statements ends too",
        arguments: ReportDefinition.all.map(\.name))
    func raised(name: String) throws {
        let store = try TestStore([SentBatch(device: "a", id: "1", events: [SentEvent("p", noon)])])
        var asked = range("2026-03-28", "2026-03-28")
        for parameter in try ReportDefinition.named(name).parameters where parameter.isRequired {
            if case .choice(let choices) = parameter.kind {
                asked.append((parameter.name, choices[0]))
            }
            if parameter.kind == .matcher {
                asked += [(parameter.name, "p"), (parameter.name, "q")]
            }
        }
        let question = try store.question(name, asked)
        let interruption = Interruption()
        interruption.raise()
        let error = #expect(throws: (any Error).self) {
            switch question.definition.shape {
            case .rows:
                _ = try ReportRunner.run(question, store.connection, interruption: interruption)
            case .lines:
                var pages = ExportLines(question)
                _ = try pages.next(store.connection, limit: 1, interruption: interruption)
            case .device:
                let device = try #require(DeviceHash(TestStore.hash(of: "a")))
                _ = try ExportLines(
                    of: device, question, store.connection, interruption: interruption)
            }
        }
        #expect(error?.isInterruption == true)
        #expect(!store.connection.isInTransaction)
    }

    @Test("an export ends between two lines, although each is a statement of its own")
    func betweenLines() throws {
        let store = try TestStore([
            SentBatch(
                device: "a", id: "1", events: (0..<5000).map { SentEvent("p", noon + Int64($0)) })
        ])
        // All are found with the first line: from then on there is no search to be interrupted.
        var found = ExportLines(try store.question("export", range("2026-03-28", "2026-03-28")))
        _ = try found.next(store.connection, limit: 1)
        func page(_ interruption: Interruption) throws(QueryError) {
            var pages = found
            _ = try pages.next(store.connection, limit: 1 << 30, interruption: interruption)
        }
        let whole = try ContinuousClock().measure { try page(Interruption()) }
        let third = Int(whole / .microseconds(3))
        // A queue with a thread of its own, whatever the other tests are at.
        let clock = DispatchQueue(label: "interruption")
        var caught: (any Error)?
        // Once more, and sooner, where this machine was too busy to raise it in time.
        for attempt in 0..<20 where caught == nil {
            let interruption = Interruption()
            clock.asyncAfter(deadline: .now() + .microseconds(third >> attempt)) {
                interruption.raise()
            }
            do throws(QueryError) { try page(interruption) } catch { caught = error }
        }
        #expect(caught?.isInterruption == true)
        #expect(!store.connection.isInTransaction)
    }
}
