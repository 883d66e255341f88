import Events
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import Query

@Suite("Sessions in pieces")
struct SessionScanTests {
    private let dayLength: Int64 = 86_400_000

    /// Batches of few devices and sessions around midnight, in any order, so that a session comes in
    /// pieces that often overlap.
    private func batches(seed: UInt64) -> [SentBatch] {
        var random = SplitMix(seed: seed)
        let names = ["session.start", "screen.view", "session.end", "session.resume"]
        return (0..<60).map { number in
            let start = noon + Int64.random(in: 0...30, using: &random) * hour
            return SentBatch(
                device: "d\(number % 5)", id: "\(Int.random(in: 0...99, using: &random))-\(number)",
                resource: ["service.version": "\(number % 3)"],
                events: (0..<Int64.random(in: 0...6, using: &random)).map { place in
                    SentEvent(
                        names.randomElement(using: &random) ?? "",
                        start + place * .random(in: 0...hour, using: &random),
                        "s\(Int.random(in: 0...3, using: &random))")
                })
        }
    }

    private func found(
        _ store: TestStore, _ from: String, _ to: String, among sessions: SessionSet? = nil,
        most: Int, _ environment: ReportEnvironment = ReportEnvironment()
    ) throws -> [String] {
        let reading = Reading(store.connection, Interruption(), environment)
        let scan = try SessionScan(store.scope(from, to), among: sessions, reading)
        let none = Concatenated<String>(reading.account)
        return try scan.collect(none, reading, maxPieces: most) { found, session in
            let fold = session.fold
            found.append(
                "\(session.device) \(session.resource) \(session.day) \(fold.start) \(fold.last) "
                    + "\(fold.count) \(fold.duration) \(fold.isStartInferred) "
                    + "\(fold.state(at: fold.last))")
        }.all.sorted()
    }

    /// The same with all events of each session put in order first.
    private func wanted(_ batches: [SentBatch], _ store: TestStore, on day: Int) throws -> [String]
    {
        var sessions: [[String]: [(event: SentEvent, batch: SentBatch)]] = [:]
        for batch in batches {
            for event in batch.events {
                sessions[[batch.device, event.session ?? ""], default: []].append((event, batch))
            }
        }
        var wanted: [String] = []
        for (key, events) in sessions {
            let sorted = events.sorted { a, b in
                let kinds = [a, b].map { SessionEventKind(name: $0.event.name) }
                if a.event.time != b.event.time { return a.event.time < b.event.time }
                return kinds[0] != kinds[1] ? kinds[0] < kinds[1] : a.batch.id < b.batch.id
            }
            var fold = SessionFold(timeout: store.app.sessionTimeout)
            for (event, _) in sorted {
                fold.add(time: event.time, kind: SessionEventKind(name: event.name))
            }
            let startDay = Int(fold.start / dayLength)
            guard startDay == day, let first = sorted.first else { continue }
            let device = try store.connection.integers(
                "SELECT id FROM device WHERE hash = CAST(x'"
                    + TestStore.hash(of: key[0]).map {
                        ($0 < 16 ? "0" : "") + String($0, radix: 16)
                    }
                    .joined() + "' AS BLOB)")
            let version = first.batch.resource["service.version"] ?? ""
            let resource = try store.connection.integers(
                "SELECT id FROM resource WHERE service_version = '\(version)'")
            wanted.append(
                "\(device[0]) \(resource[0]) \(startDay) \(fold.start) \(fold.last) "
                    + "\(fold.count) \(fold.duration) \(fold.isStartInferred) "
                    + "\(fold.state(at: fold.last))")
        }
        return wanted.sorted()
    }

    /// The sessions of two devices, and how lines of `found` begin for these.
    private func someSessions(_ store: TestStore) throws -> (keys: SessionSet, lines: [String]) {
        let devices = try store.connection.integers("SELECT id FROM device LIMIT 2")
        var keys = SessionSet()
        let reading = Reading(store.connection, Interruption())
        var scan = try reading.segments(of: store.app.id, EventList.always, .sessions)
        while try scan.next() {
            guard devices.contains(scan.part.device) else { continue }
            for group in scan.part.groups { if let key = group.session { keys.insert(key) } }
        }
        return (keys, devices.map { "\($0) " })
    }

    /// A session of its own day, and of a device with its number.
    private func piece(of device: Int, _ id: String, daysBefore days: Int64) -> SentBatch {
        let start = noon - days * dayLength
        return SentBatch(
            device: "d\(device)", id: id, resource: ["service.version": "1"],
            events: [0, hour / 60].map { SentEvent("screen.view", start + $0, "s\(device)") })
    }

    /// How many segments before noon's day may have pieces of the sessions of a device.
    private func segments(
        _ store: TestStore, with device: Int, maxKeys: Int = KnownSessions.maxKeys,
        _ environment: ReportEnvironment
    ) throws -> Int {
        let row = try store.connection.integers("SELECT id FROM device ORDER BY id")[device]
        let reading = Reading(store.connection, Interruption(), environment)
        var pieces = SessionPieces()
        var scan = try reading.segments(of: store.app.id, EventList.always, .sessions)
        while try scan.next() {
            for group in scan.part.groups where scan.part.device == row {
                guard let key = group.session else { continue }
                let fold = SessionFold(timeout: 1)
                pieces.add(SessionPiece(device: row, session: key, resource: 1, fold: fold))
            }
        }
        return try RecurringSessions(of: store.app.id, maxKeys: maxKeys, reading).segments(
            within: EventList.always.lowerBound..<noon / dayLength * dayLength, with: pieces,
            reading
        ).count
    }

    @Test("are looked for where a piece may be, even one of months before, and nowhere else")
    func elsewhere() throws {
        var batches = (0..<9).map { piece(of: $0, "\($0)", daysBefore: 70 - Int64($0)) }
        batches.append(piece(of: 0, "late", daysBefore: 0))
        let store = try TestStore(batches)
        try Segmenter(store.connection, limit: 1).begin()
        let environment = ReportEnvironment()
        #expect(try segments(store, with: 0, environment) == 1)
        // It has no other piece.
        #expect(try segments(store, with: 5, environment) == 0)
        // These come later than what is known, the first to a segment of its own.
        for (device, isStored) in [(5, true), (6, false)] {
            let late = piece(of: device, "late \(device)", daysBefore: 0)
            batches.append(late)
            try store.store(late)
            if isStored { try Segmenter(store.connection, limit: 1).begin() }
            #expect(try segments(store, with: device, environment) == 1)
            #expect(try segments(store, with: 0, environment) == 1)
        }
        #expect(try segments(store, with: 7, environment) == 0)
        #expect(try segments(store, with: 7, maxKeys: 8, ReportEnvironment()) == 9)
        let dates = [("2026-01-17", 20_470), ("2026-01-22", 20_475), ("2026-03-28", 20_540)]
        for (date, number) in dates {
            #expect(
                try found(store, date, date, most: 10_000, environment)
                    == wanted(batches, store, on: number), "\(date)")
        }
    }

    @Test("are those of their events in order, however many are held at once", arguments: 0..<6)
    func rounds(seed: UInt64) throws {
        let batches = batches(seed: seed)
        let store = try TestStore(batches)
        // Some in segments, some as rows.
        try Segmenter(store.connection, limit: 30).begin()
        let some = try someSessions(store)
        for (date, number) in [("2026-03-28", 20_540), ("2026-03-29", 20_541)] {
            let wanted = try wanted(batches, store, on: number)
            for most in [0, 1, 5, 10_000] {
                #expect(try found(store, date, date, most: most) == wanted, "\(date), \(most)")
                #expect(
                    try found(store, date, date, among: some.keys, most: most)
                        == wanted.filter { line in some.lines.contains { line.hasPrefix($0) } })
            }
        }
    }

    @Test(
        "are those of their events, whatever earlier reports have found out about segments",
        arguments: 0..<6)
    func known(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let batches = batches(seed: seed)
        let store = try TestStore(Array(batches.prefix(10)))
        let environment = ReportEnvironment()
        var count = 10
        while true {
            let limit = [1, 20, 1000].randomElement(using: &random) ?? 1
            try Segmenter(store.connection, limit: limit).begin()
            if Int.random(in: 0..<8, using: &random) == 0 {
                // Their rows count until they are made anew.
                try store.connection.execute(
                    "INSERT OR IGNORE INTO stale_day (app, day) SELECT app, day FROM segment LIMIT 1"
                )
            } else if Int.random(in: 0..<4, using: &random) == 0 {
                try store.rebuildStaleDays()
            }
            let some = Array(batches.prefix(count))
            for (date, number) in [("2026-03-28", 20_540), ("2026-03-29", 20_541)] {
                #expect(
                    try found(store, date, date, most: 10_000, environment)
                        == wanted(some, store, on: number), "\(date), \(count) batches")
            }
            if count == batches.count { return }
            let more = min(batches.count, count + Int.random(in: 1...8, using: &random))
            for batch in batches[count..<more] { try store.store(batch) }
            count = more
        }
    }
}
