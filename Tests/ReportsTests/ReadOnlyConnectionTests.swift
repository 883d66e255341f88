import Dispatch
import Events
import Foundation
import Query
import Reports
import Storage
import StoreTestSupport
import Synchronization
import Testing
import Upkeep

@Suite("Reports on what the writer stored")
struct ReadOnlyConnectionTests {
    /// A batch of a session with one counter, as the judge hands it over.
    private func batch(
        app: Int64, device: UInt64, id: String, at time: Int64, isShared: Bool = false
    ) -> AcceptedBatch {
        var resource = Resource()
        resource.osName = "iOS"
        let text = Array("0,\"tap\",1,3".utf8)
        return AcceptedBatch(
            app: app, device: DeviceHash(high: device, low: 1), isShared: isShared,
            resource: resource, batchID: id, receivedAt: time + 9, clockShift: 0, profile: .plain,
            key: nil, sequence: nil, droppedEvents: 0, bodyBytes: 100, rejected: 1, rejections: [],
            rejectionCounts: [], names: ["session.start", "usage.counter", "session.end"],
            sessionsJSON: Array("[\"s-1\"]".utf8),
            attributeKeys: ["counter.name", "counter.value"],
            events: [
                AcceptedEvent(index: 0, name: 2, time: time + 4000, session: 0, attributes: 0..<0),
                AcceptedEvent(
                    index: 2, name: 1, time: time + 1000, session: 0,
                    attributes: 0..<UInt32(text.count)),
                AcceptedEvent(index: 3, name: 0, time: time, session: 0, attributes: 0..<0),
            ],
            text: text)
    }

    @Test("a connection that may only read answers every report")
    func stored() throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("sojourn-reports-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try Store.open(Store.Options(directory: DataDirectory(folder)))
        defer { try? store.close() }
        let app = try store.registry.addApp("shop", AppChange(timeZone: "Europe/Paris"))
        let isStored = DispatchSemaphore(value: 0)
        let stored = Mutex(0)
        for (device, id, time, isShared) in [
            (1, "a", noon, false), (2, "b", noon + hour, false), (1, "c", noon - 2 * day, false),
            (3, "d", noon, true), (2, "b", noon + hour, false),
        ] as [(UInt64, String, Int64, Bool)] {
            let refusal = store.writer.submit(
                batch(app: app.id, device: device, id: id, at: time, isShared: isShared)
            ) { outcome in
                if case .stored = outcome { stored.withLock { $0 += 1 } }
                isStored.signal()
            }
            #expect(refusal == nil)
        }
        for _ in 0..<5 { isStored.wait() }
        #expect(stored.withLock { $0 } == 4)

        let connection = try store.reader()
        func question(_ name: String) throws -> Question {
            try Question(
                ReportDefinition.named(name),
                ParameterList([
                    ("app", "shop"), ("from", "2026-03-26"), ("to", "2026-03-28"),
                ]),
                app: QueryApp(app), now: noon + day, settings: ReportSettings())
        }
        func lines(_ name: String) throws -> [String] {
            try ReportRunner.run(question(name), connection).lines
        }
        #expect(
            try lines("active") == [
                "2026-03-26,1,1,1,1,1.000000", "2026-03-27,0,1,1,0,0.000000",
                "2026-03-28,2,2,2,1,1.000000",
            ])
        #expect(
            try lines("sessions").last
                == "2026-03-28,2,1,1.000000,4.000,4.000,4.000,4.000,8.000,2,0,0")
        #expect(
            try lines("platforms")
                == ["iOS,2,1.000000,3,16.000,1.000000,1.000000,1.000000"])
        #expect(
            try lines("events") == ["session.end,4,2", "session.start,4,2", "usage.counter,4,2"])
        #expect(try lines("counters") == ["tap,12,4,2"])
        #expect(
            try lines("quality").last
                == "2026-03-28,3,1,9,3,400,0,-0.991,0.009,0,0")
        var pages = ExportLines(try question("export"))
        let export = String(decoding: try pages.next(connection, limit: 1 << 20), as: UTF8.self)
        let rows = export.split(separator: "\n").map(String.init)
        #expect(rows.count == 12)
        #expect(rows[0].contains("\"name\":\"session.start\"") && rows[0].contains("\"index\":3,"))
        #expect(
            rows[1].contains(
                """
                "resource":{"os.name":"iOS"},"attributes":{"session.id":"s-1",\
                "counter.name":"tap","counter.value":3},"cursor":"
                """))
        #expect(!connection.isInTransaction)
    }
}
