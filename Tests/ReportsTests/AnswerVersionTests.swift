import Foundation
import Query
import Reports
import StoreTestSupport
import Testing

@testable import Storage
@testable import Upkeep

@Suite("Versions of answers")
struct AnswerVersionTests {
    private let march = range("2026-03-26", "2026-03-28")
    private let environment = ReportEnvironment()

    private func version(
        _ store: TestStore, _ name: String = "active",
        _ pairs: [(name: String, value: String)]? = nil, now: Int64 = noon, minGroup: Int = 1
    ) throws -> [UInt8] {
        try ReportRunner.version(
            store.question(name, pairs ?? march, now: now, minGroup: minGroup), store.connection,
            interruption: Interruption(), environment)
    }

    private func batch(_ id: String, _ events: [SentEvent] = []) -> SentBatch {
        SentBatch(device: "a", id: id, events: events)
    }

    @Test("another question, setting or zone has another version, the same one the same")
    func questions() throws {
        let store = try TestStore([batch("1", [SentEvent("p", noon)])])
        let first = try version(store)
        #expect(try version(store) == first)
        #expect(try version(store, now: noon + hour) == first)
        #expect(try version(store, "active", march + [("interval", "day")]) == first)
        for other in [
            try version(store, "events"),
            try version(store, "active", march + [("tz", "Asia/Tokyo")]),
            try version(store, "active", march + [("interval", "week")]),
            try version(store, minGroup: 2), try version(store, "active", []),
            try version(TestStore([batch("1", [SentEvent("p", noon)])], timeout: 5)),
        ] {
            #expect(other != first)
        }
        // Without `to` it is about today.
        #expect(
            try version(store, "active", [], now: noon + day) != version(store, "active", []))
    }

    @Test("after a restore none comes again, though as much was refused or repeated as before it")
    func restored() throws {
        let root = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: root) }
        func version(_ folder: String, refusing code: String) throws -> [UInt8] {
            let store = try Store.open(.init(directory: DataDirectory(root + "/" + folder)))
            let app = try #require(store.registry.snapshot.app(named: "shop"))
            let quarter = QuarterHour.number(of: noon)
            try store.writer.add([.init(app: app.id, quarter: quarter, code: code, batches: 1)])
            let question = try Question(
                .named("rejects"), ParameterList([(name: "app", value: "shop")] + march),
                app: QueryApp(app), now: noon, settings: ReportSettings(minGroup: 1))
            let version = try ReportRunner.version(
                question, store.reader(), interruption: Interruption(), ReportEnvironment())
            try store.close()
            return version
        }
        let store = try Store.open(.init(directory: DataDirectory(root + "/first")))
        _ = try store.registry.addApp("shop")
        _ = try Backup(
            of: store, .init(target: root + "/copy", withKey: true, program: "1", now: 7)
        ).run()
        for folder in ["second", "third"] {
            _ = try Restore(
                from: root + "/copy", to: .init(directory: DataDirectory(root + "/" + folder))
            ).run()
        }
        let second = try version("second", refusing: "unauthorized")
        #expect(try version("third", refusing: "unsupported-profile") != second)
    }

    @Test("a new batch of the app changes it, one of another app or a repeat does not")
    func data() throws {
        let store = try TestStore([batch("1")])
        let first = try version(store)
        try store.store(batch("2"), app: 8)
        try store.repeatBatch(id: 1, at: noon)
        try store.refuse("unauthorized", at: noon)
        #expect(try version(store) == first)
        try store.store(batch("3"))
        let second = try version(store)
        #expect(second != first)
        // The next process, which has looked at nothing yet.
        let other = ReportEnvironment()
        #expect(
            try ReportRunner.version(
                store.question("active", march), store.connection, interruption: Interruption(),
                other) == second)
    }

    @Test("a batch of the number of one that is gone is another one; so is what was taken away")
    func removal() throws {
        let store = try TestStore([batch("1"), batch("2")])
        let first = try version(store)
        try store.connection.execute("DELETE FROM batch WHERE id = 2")
        try store.store(batch("3"))
        #expect(
            try ReportRunner.version(
                store.question("active", march), store.connection, interruption: Interruption(),
                ReportEnvironment()) != first)
        let second = try version(store)
        try store.connection.execute("INSERT INTO meta(name, value) VALUES ('probe', x'01')")
        try store.connection.noteRemoval(of: 8)
        #expect(try version(store) == second)
        try store.connection.noteRemoval(of: store.app.id)
        #expect(try version(store) != second)
    }

    @Test("a transaction that sees less than another did is told of no batch that it does not see")
    func olderView() throws {
        let (old, new) = (try TestStore([batch("1")]), try TestStore([batch("1"), batch("2")]))
        let first = try version(old)
        #expect(try version(new) != first)
        #expect(try version(old) == first)
    }

    @Test("retention changes with the day, since its periods begin; what lies behind does not")
    func today() throws {
        let store = try TestStore([batch("1", [SentEvent("p", noon)])])
        for (name, changes) in [("retention", true), ("lifetime", false), ("content", false)] {
            let first = try version(store, name)
            #expect(try version(store, name, now: noon + hour) == first)
            #expect((try version(store, name, now: noon + day) != first) == changes, "\(name)")
        }
    }

    @Test("quality changes with repeats in its range, rejects with refusals, each for itself")
    func arrivals() throws {
        let store = try TestStore([batch("1")])
        func versions() throws -> [[UInt8]] {
            [try version(store, "quality"), try version(store, "rejects")]
        }
        let first = try versions()
        try store.repeatBatch(id: 1, at: noon - 9 * day)
        try store.refuse("unauthorized", at: noon - 9 * day)
        #expect(try versions() == first)
        try store.repeatBatch(id: 1, at: noon)
        let second = try versions()
        #expect(second[0] != first[0] && second[1] == first[1])
        try store.refuse("unauthorized", at: noon)
        #expect(try versions()[0] == second[0] && versions()[1] != second[1])
    }

    @Test("sessions change when an open one of theirs ends, and only then")
    func sessions() throws {
        let store = try TestStore(
            [
                batch(
                    "1",
                    [
                        SentEvent("session.start", noon - 3 * day, "old"),
                        SentEvent("screen.view", noon, "old"), SentEvent("p", noon - hour, "gone"),
                        SentEvent("p", noon, "ended"), SentEvent("session.end", noon, "ended"),
                    ]),
                SentBatch(
                    device: "b", id: "2", resource: ["os.name": "iOS"],
                    events: [SentEvent("p", noon + 1000, "s")]),
            ], timeout: 60_000)
        func versions(at now: Int64) throws -> [[UInt8]] {
            try [
                range("2026-03-28", "2026-03-28"), range("2026-03-25", "2026-03-25"),
                range("2026-03-25", "2026-03-25") + [("os.name", "iOS")],
                range("2026-03-26", "2026-03-27"),
            ].map { try version(store, "sessions", $0, now: now) }
        }
        let first = try versions(at: noon + 1000)
        #expect(try versions(at: noon + 59_999) == first)
        // `old` ends, which began on the 25th.
        let second = try versions(at: noon + 60_000)
        #expect((0..<4).map { second[$0] == first[$0] } == [true, false, true, true])
        // `s` ends, which began on the 28th.
        #expect(try versions(at: noon + 60_999) == second)
        let third = try versions(at: noon + 61_000)
        #expect((0..<4).map { third[$0] == second[$0] } == [false, true, true, true])
        #expect(try versions(at: noon + 900 * day) == third)
    }

    @Test("an answer that is known is not computed")
    func known() throws {
        let store = try TestStore([batch("1", [SentEvent("p", noon)])])
        let question = try store.question("active", march)
        let version = try version(store)
        func ask(_ isKnown: Bool) throws -> Report? {
            try ReportRunner.run(
                question, store.connection, interruption: Interruption(), environment
            ) {
                #expect($0 == version)
                return isKnown
            }
        }
        #expect(try ask(true) == nil)
        #expect(try ask(false) == store.ask("active", march))
        #expect(!store.connection.isInTransaction)
    }
}
