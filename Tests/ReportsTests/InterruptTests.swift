import Events
import Query
import Reports
import StoreTestSupport
import Testing

@testable import Database

@Suite("Reports that are to end")
struct InterruptTests {
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
            if parameter.kind == .text { asked.append((parameter.name, "p")) }
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
}
