import Events
import StoreTestSupport
import Testing

@testable import Query

@Suite("devices that begin sessions as no single one does")
struct CrowdedDevicesTests {
    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000

    private func hash(_ device: String) throws -> DeviceHash {
        try #require(DeviceHash(TestStore.hash(of: device)))
    }

    /// A session of these minutes, from its start to its end or its last event.
    private func session(
        _ id: String, _ minutes: ClosedRange<Int64>, ends: Bool = true
    ) -> [SentEvent] {
        [
            SentEvent("session.start", noon + minutes.lowerBound * Self.minute, id),
            SentEvent(
                ends ? "session.end" : "app.tap", noon + minutes.upperBound * Self.minute, id),
        ]
    }

    private func found(_ batches: [SentBatch], of apps: Int = 1) throws -> [CrowdedDevice] {
        let store = try TestStore(batches)
        return try CrowdedDevices(store.connection).find(app: store.app.id, of: apps)
    }

    /// Each list is a batch of its own, in either order.
    private func overlapping(_ sessions: [[SentEvent]]) throws -> Int {
        let batches = sessions.enumerated().map { index, events in
            SentBatch(device: "d", id: "b\(index)", events: events)
        }
        let counts = try [batches, batches.reversed()].map { batches in
            try found(batches).reduce(0) { $0 + $1.overlapping }
        }
        #expect(counts[0] == counts[1])
        return counts[0]
    }

    @Test("a session that begins while another one goes on overlaps it")
    func overlaps() throws {
        #expect(try overlapping([session("a", 0...10), session("b", 5...15)]) == 1)
        #expect(try overlapping([session("a", 0...10), session("b", 5...6)]) == 1)
        #expect(try overlapping([session("a", 0...10, ends: false), session("b", 5...15)]) == 1)
        #expect(
            try overlapping([session("a", 0...10), session("b", 5...15), session("c", 6...20)]) == 2
        )
        // The longest is not the last that began.
        #expect(
            try overlapping([session("a", 0...100), session("b", 5...6), session("c", 50...60)])
                == 2)
        // All of it in one batch.
        #expect(try overlapping([session("a", 0...10) + session("b", 5...15)]) == 1)
    }

    @Test("one after the other they do not, and a minute is nothing")
    func apart() throws {
        #expect(try overlapping([session("a", 0...10), session("b", 10...15)]) == 0)
        #expect(try overlapping([session("a", 0...10), session("b", 9...15)]) == 0)
        #expect(try overlapping([session("a", 0...10), session("b", 8...15)]) == 1)
        #expect(try overlapping([session("a", 0...10)]) == 0)
        // One that goes on later, in the foreground or behind it, has ended before.
        let resumed = [
            SentEvent("session.resume", noon + 20 * Self.minute, "a"),
            SentEvent("session.end", noon + 30 * Self.minute, "a"),
        ]
        #expect(try overlapping([session("a", 0...5) + resumed, session("b", 10...15)]) == 0)
        let background = [SentEvent("app.sync", noon + 20 * Self.minute, "a")]
        #expect(try overlapping([session("a", 0...5) + background, session("b", 10...15)]) == 0)
        // One that was resumed while another one went on has not begun.
        let back = [SentEvent("session.resume", noon + 12 * Self.minute, "a")]
        #expect(try overlapping([session("a", 0...5) + back, session("b", 10...15)]) == 0)
        // A start that is told twice is one session's.
        #expect(try overlapping([session("a", 0...10), session("a", 5...10)]) == 0)
        // Without a start nothing began.
        #expect(
            try overlapping([
                session("a", 0...10),
                [
                    SentEvent("app.tap", noon + 5 * Self.minute, "b"),
                    SentEvent("app.tap", noon + 9 * Self.minute, "b"),
                ],
            ]) == 0)
    }

    @Test("more than 50 on one day are too many")
    func many() throws {
        func sessions(_ count: Int, from start: Int64) -> [SentEvent] {
            (0..<count).map {
                SentEvent("session.start", start + Int64($0) * 1000, "s\(start)-\($0)")
            }
        }
        let today = noon / Self.day * Self.day
        func most(_ events: [SentEvent]) throws -> [Int] {
            try found([SentBatch(device: "d", id: "b", events: events)]).map(\.mostADay)
        }
        #expect(try most(sessions(50, from: today)) == [])
        #expect(try most(sessions(51, from: today)) == [51])
        #expect(try most(sessions(40, from: today) + sessions(40, from: today + Self.day)) == [])
        // Starts of one session are one.
        #expect(try most(sessions(40, from: today) + sessions(40, from: today)) == [])
        #expect(try most((0..<90).map { SentEvent("app.tap", today + $0, "t\($0)") }) == [])
    }

    @Test("devices are apart, those that are known to be shared are left out, others' apps too")
    func devices() throws {
        let store = try TestStore()
        let (first, second) = (session("a", 0...10), session("b", 5...15))
        for (device, isShared) in [("one", false), ("shared", true)] {
            for (id, events) in [("1", first), ("2", second)] {
                try store.store(
                    SentBatch(device: device, id: id, isShared: isShared, events: events))
            }
        }
        try store.store(SentBatch(device: "x", id: "1", events: first))
        try store.store(SentBatch(device: "y", id: "1", events: second))
        try store.store(SentBatch(device: "z", id: "1", events: first), app: 8)
        try store.store(SentBatch(device: "z", id: "2", events: second), app: 8)
        let found = try CrowdedDevices(store.connection).find(app: 7, of: 2)
        #expect(found == [CrowdedDevice(device: try hash("one"), overlapping: 1, mostADay: 2)])
        let other = try CrowdedDevices(store.connection).find(app: 8, of: 2)
        #expect(other.map(\.device) == [try hash("z")])
    }

    @Test("of the newest batches only so many are read")
    func bounded() throws {
        let batches = (0..<20).map { index in
            SentBatch(
                device: "d", id: "\(index)",
                events: session("s\(index)", Int64(index)...Int64(index + 10)))
        }
        let all = try #require(try found(batches).first)
        let some = try #require(try found(batches, of: CrowdedDevices.batches / 5).first)
        #expect(all.overlapping == 19 && some.overlapping == 4)
        #expect(try found(batches, of: CrowdedDevices.batches) == [])
        #expect(try found(batches, of: CrowdedDevices.batches * 2) == [])
    }
}
