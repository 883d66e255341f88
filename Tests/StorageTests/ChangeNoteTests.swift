import Database
import StoreTestSupport
import Testing

@testable import Storage
@testable import Upkeep

@Suite("what has changed of repeats and refusals is noted where it is handed over")
struct ChangeNoteTests {
    private let folder = TemporaryFolder()

    private func store(notes: Bool) throws -> Store {
        var options = folder.options
        options.limits.notesChanges = notes
        let store = try Store.open(options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        return store
    }

    @Test("a batch that comes again and again in one quarter of an hour is noted once")
    func repeats() throws {
        let store = try store(notes: true)
        for _ in 0..<4 {
            let outcome = store.writer.storeAlone(Batches.make("b", device: 1))
            #expect(outcome == .stored || outcome == .duplicate(accepted: 1, rejected: 0))
        }
        let reader = try store.reader()
        #expect(try reader.integers("SELECT count(*) FROM repeat_change") == [1])
        #expect(try reader.integers("SELECT sum(times) FROM repeat") == [3])
        try store.close()
    }

    @Test("refusals are noted once, too, and after the writer's connection was made anew")
    func refusals() throws {
        for _ in 0..<2 {
            let store = try store(notes: true)
            for quarter: Int64 in [7, 7, 8] {
                try store.writer.add([
                    RefusalCount(app: 1, quarter: quarter, code: "undecodable", batches: 2)
                ])
            }
            #expect(
                try store.reader().integers("SELECT count(*) FROM refusal_change") == [2])
            try store.close()
        }
    }

    @Test("a node without an engine notes nothing")
    func without() throws {
        let store = try store(notes: false)
        for _ in 0..<3 { _ = store.writer.storeAlone(Batches.make("b", device: 1)) }
        try store.writer.add([RefusalCount(app: 1, quarter: 7, code: "x", batches: 1)])
        let reader = try store.reader()
        #expect(try reader.integers("SELECT count(*) FROM repeat_change") == [0])
        #expect(try reader.integers("SELECT count(*) FROM refusal_change") == [0])
        try store.close()
    }
}
