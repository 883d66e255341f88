import Query
import Reports
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@Suite("The law of all reports")
struct LawTests {
    /// A small population of `seed`, in which everything happens that makes reports differ.
    static func population(_ random: inout SplitMix, zone: TimeZoneRules) -> [SentBatch] {
        let names = [
            "session.start", "session.end", "session.resume", "screen.view", "p", "p",
            "usage.counter",
        ]
        let systems = ["iOS", "Android", "", "unknown", "é", "e\u{301}"]
        let devices = 1 + random.next(5)
        // Around the change of the clocks in Europe, and the midnights of the zone.
        let midnight = zone.window(
            from: CivilDate(number: 20_540), to: CivilDate(number: 20_540)
        ).lowerBound
        var used: Set<String> = []
        return (0..<(1 + random.next(14))).compactMap { _ in
            let device = "d\(random.next(devices))"
            let id = random.pick(["a", "B", "_", ":", "1"]) + "\(random.next(9))"
            guard used.insert(device + "/" + id).inserted else { return nil }
            var time =
                midnight + Int64(random.next(9) - 4) * random.pick([0, 1, hour, day, 13 * day])
            let events = (0..<random.next(9)).map { _ in
                time += random.pick([0, 0, 1, 500, 600_000, 600_001, hour, -hour, day, 3 * day])
                let name = random.pick(names)
                return SentEvent(
                    name, time, random.pick([nil, "s", "t", "é", "e\u{301}"] as [String?]),
                    attributes(&random, of: name))
            }
            return SentBatch(
                device: device, id: id,
                resource: ["os.name": random.pick(systems), "os.version": random.pick(["1", ""])],
                isShared: random.next(20) == 0, events: events, firstIndex: random.next(3))
        }
    }

    /// Values as they are stored: what is equal as text, and what is not.
    private static func attributes(
        _ random: inout SplitMix, of name: String
    ) -> [(key: String, json: String)] {
        var list: [(key: String, json: String)] = []
        if name == "usage.counter" {
            list.append(("counter.name", random.pick(["\"a\"", "\"é\"", "\"e\u{301}\"", "\"=\""])))
            if random.next(2) == 0 {
                list.append(("counter.value", random.pick(["1", "2", "3", "1000000000"])))
            }
        }
        if random.next(3) > 0 {
            let values = [
                "5", "\"5\"", "true", "\"true\"", "1.5", "\"\"", "\"a\\\"\\\\\"", "\"z\"",
            ]
            list.append(("k", random.pick(values)))
        }
        if random.next(3) == 0 { list.append(("l", random.pick(["1", "\"k\""]))) }
        random.shuffle(&list)
        return list
    }

    static let zones = [
        "UTC", "Europe/Paris", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia",
        "Australia/Lord_Howe", "Pacific/Kiritimati", "America/Santiago", "Africa/Cairo",
    ]

    @Test(
        "every report agrees with its brute-force twin, on random populations", .tags(.long),
        arguments: 0..<24)
    func twin(group: Int) throws {
        for round in 0..<10 {
            let seed = UInt64(group * 1000 + round)
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(Self.zones))
            let batches = Self.population(&random, zone: zone)
            let store = try TestStore(batches, timeZone: zone.name, timeout: 600_000)
            let from = CivilDate(number: 20_540 - random.next(50))
            let to = from.adding(days: random.next(60))
            let now = noon + Int64(random.next(10) - 5) * random.pick([day, hour, 60_000])
            let interval = random.pick(Interval.calendar)
            var filters: [String: [String]] = [:]
            if random.next(3) == 0 {
                filters["os.name"] = [random.pick(["iOS", "unknown", "é"]), "Android"]
            }
            if random.next(6) == 0 { filters["os.version"] = [random.pick(["1", "unknown", ""])] }
            var pairs = range(from.text, to.text)
            for (name, values) in filters { pairs += values.map { (name: name, value: $0) } }
            let dated = pairs + [(name: "interval", value: interval.rawValue)]

            let twin = Twin(
                batches, try store.question("active", dated, now: now), filters: filters)
            let whole = pairs + [(name: "interval", value: "all")]
            let wholeTwin = Twin(
                batches, try store.question("active", whole, now: now), filters: filters)
            let comment: Comment = "seed \(seed)"
            for (twin, asked) in [(twin, dated), (wholeTwin, whole)] {
                #expect(
                    try store.ask("active", asked, now: now).rows.map(\.cells) == twin.active(),
                    comment)
                #expect(
                    try store.ask("sessions", asked, now: now).rows.map(\.cells)
                        == twin.sessionRows(), comment)
            }
            #expect(
                try store.ask("platforms", pairs, now: now).rows.map(\.cells) == twin.platforms(),
                comment)
            #expect(try store.export(pairs, limit: 700).count == twin.kept.count, comment)

            let limit = 1 + random.next(4)
            let limited = [(name: "limit", value: "\(limit)")]
            func rows(
                _ name: String, _ asked: [(name: String, value: String)]
            ) throws -> [[Cell]] {
                try store.ask(name, asked + limited, now: now).rows.map(\.cells)
            }
            #expect(
                try rows("events", pairs) == twin.eventRows(dated: false, limit: limit), comment)
            #expect(
                try rows("events", dated) == twin.eventRows(dated: true, limit: limit), comment)
            #expect(
                try rows("counters", pairs) == twin.counterRows(dated: false, limit: limit),
                comment)
            #expect(
                try rows("counters", dated) == twin.counterRows(dated: true, limit: limit), comment)
            for dimension in ["os.name", "os.version", "service.version"] {
                #expect(
                    try rows("versions", pairs + [("dimension", dimension)])
                        == twin.versions(dimension, limit: limit), comment)
            }
            for key in ["k", "l", "session.id"] {
                #expect(
                    try rows("events", pairs + [("name", "p"), ("by", key)])
                        == twin.valueRows(name: "p", by: key, limit: limit), comment)
            }
        }
    }

    @Test("reports of arrival agree with their brute-force twin", arguments: 0..<12)
    func arrivalTwin(group: Int) throws {
        for round in 0..<10 {
            let seed = UInt64(group * 1000 + round) + 4_000_000
            var random = SplitMix(seed: seed)
            let zone = try TimeZoneRules(name: random.pick(Self.zones))
            func moment() -> Int64 {
                noon + Int64(random.next(9) - 4)
                    * random.pick([0, 900_000, hour, 20 * hour, 9 * day])
            }
            let codes = ["invalid-name", "invalid-time", "a"]
            let clients = ["a", "a/b", "unknown", "", "é", "e\u{301}", "other"]
            let batches = Self.population(&random, zone: zone).map { sent in
                var batch = sent
                batch.receivedAt = moment() + Int64(random.next(1000))
                batch.clockShift = random.pick([0, 0, 70_000, -70_000])
                batch.key = random.pick([nil, "k-a", "k-b", "k-Z"] as [String?])
                batch.sequence = random.pick([nil, 1, 2, 3, 5, 9, 10_005, 10_012] as [Int64?])
                batch.dropped = Int64(random.next(3))
                batch.resource["telemetry.sdk.name"] = random.pick(clients)
                batch.resource["telemetry.sdk.version"] = random.pick(["2", "b/2", "unknown", ""])
                batch.bytes = Int64(random.next(1000))
                batch.rejected = (0..<random.next(3)).map { _ in random.pick(codes) }
                batch.repeats = (0..<random.next(3)).map { _ in (moment(), 10) }
                return batch
            }
            let refused = (0..<random.next(6)).map { _ in
                (code: random.pick(["unauthorized", "a"]), time: moment())
            }
            let store = try TestStore(batches, timeZone: zone.name)
            for (code, time) in refused { try store.refuse(code, at: time) }
            let from = CivilDate(number: 20_540 - random.next(40))
            var pairs = range(from.text, from.adding(days: random.next(50)).text)
            pairs.append(("interval", random.pick(Interval.calendar).rawValue))
            let comment: Comment = "seed \(seed)"
            #expect(
                try store.ask("rejects", pairs).rows.map(\.cells)
                    == Twin(batches, try store.question("rejects", pairs), filters: [:])
                    .rejects(refused), comment)

            var filters: [String: [String]] = [:]
            if random.next(2) == 0 { filters["os.name"] = ["iOS", "unknown"] }
            for (name, values) in filters { pairs += values.map { (name: name, value: $0) } }
            let twin = Twin(batches, try store.question("quality", pairs), filters: filters)
            let report = try store.ask("quality", pairs)
            #expect(report.rows.map(\.cells) == twin.quality(), comment)
            let profiles = twin.batches { _ in "aes128gcm" }
            #expect(
                report.members == [
                    Report.Member("by_profile", profiles),
                    Report.Member("by_key", twin.batches(by: \.key)),
                    Report.Member("by_client", Twin.clients(twin.clients(named: 100))),
                ], comment)
        }
    }

    /// Questions about reports that do not depend on arrival.
    static let questions: [(report: String, pairs: [(name: String, value: String)])] = {
        let dates = range("2026-02-20", "2026-04-20")
        return [
            ("active", dates), ("active", dates + [("interval", "week")]),
            ("active", dates + [("interval", "month")]),
            ("active", dates + [("interval", "all")]), ("sessions", dates),
            ("sessions", dates + [("interval", "week")]),
            ("sessions", dates + [("interval", "month")]),
            ("sessions", dates + [("interval", "all")]), ("platforms", dates),
            ("events", dates), ("events", dates + [("interval", "week"), ("limit", "3")]),
            ("events", dates + [("name", "p"), ("by", "k")]), ("counters", dates),
            ("counters", dates + [("interval", "day"), ("limit", "2")]),
            ("versions", dates + [("dimension", "os.name")]),
            ("versions", dates + [("dimension", "os.version"), ("limit", "1")]),
            ("versions", dates + [("dimension", "os.name"), ("interval", "week")]),
            ("values", dates + [("name", "p"), ("of", "k")]),
            ("values", dates + [("name", "p"), ("of", "k"), ("by", "l"), ("interval", "day")]),
            ("values", dates + [("name", "p"), ("of", "l"), ("by", "os.name")]),
            ("hours", dates), ("lengths", dates),
        ]
    }()

    @Test("the same batches in any order give the same octets", .tags(.long), arguments: 0..<20)
    func permutation(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) + 7_000_000)
        let zone = try TimeZoneRules(name: random.pick(Self.zones))
        var batches = Self.population(&random, zone: zone)
        func answers() throws -> [String] {
            let store = try TestStore(batches, timeZone: zone.name)
            var out = try store.export(range("2026-02-20", "2026-04-20"))
            for (report, pairs) in Self.questions { out.append(try store.ask(report, pairs).json) }
            return out
        }
        let first = try answers()
        for _ in 0..<3 {
            random.shuffle(&batches)
            #expect(try answers() == first, "seed \(seed)")
        }
    }

    @Test(
        "cutting batches in two changes nothing but export's own names of them", .tags(.long),
        arguments: 0..<20)
    func split(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) + 8_000_000)
        let zone = try TimeZoneRules(name: random.pick(Self.zones))
        let batches = Self.population(&random, zone: zone)
        let halves = batches.flatMap { batch in
            let cut = batch.events.count / 2
            var (first, second) = (batch, batch)
            // Behind the first half and before any other batch in the order of ids.
            (first.id, second.id) = (batch.id + "-1", batch.id + "-2")
            first.events = Array(batch.events[..<cut])
            second.events = Array(batch.events[cut...])
            second.firstIndex = batch.firstIndex + cut
            return [first, second]
        }
        let whole = try TestStore(batches, timeZone: zone.name)
        let cut = try TestStore(halves, timeZone: zone.name)
        for (report, pairs) in Self.questions {
            #expect(
                try whole.ask(report, pairs).json == cut.ask(report, pairs).json, "seed \(seed)")
        }
    }

    @Test("what one report counts adds up to what another does", arguments: 0..<12)
    func sums(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed) + 9_000_000)
        let zone = try TimeZoneRules(name: random.pick(Self.zones))
        let store = try TestStore(
            Self.population(&random, zone: zone), timeZone: zone.name, timeout: 600_000)
        let dates = range("2026-03-01", "2026-04-10")
        func ask(_ name: String, _ pairs: [(name: String, value: String)] = []) throws -> Report {
            try store.ask(name, dates + pairs)
        }
        func sum(_ report: Report, _ column: String) throws -> Int64 {
            let index = try #require(report.columns.firstIndex { $0.name == column })
            return report.rows.reduce(0) { sum, row in
                if case .int(let count) = row.cells[index] { sum + count } else { sum }
            }
        }
        let sessions = try sum(ask("sessions", [("interval", "all")]), "sessions")
        #expect(try sum(ask("lengths"), "sessions") == sessions)
        #expect(try sum(ask("hours"), "sessions") == sessions)
        #expect(try sum(ask("hours"), "events") == sum(ask("events"), "events"))
        let numbers = [(name: "name", value: "p"), (name: "of", value: "k")]
        let count = try sum(ask("values", numbers), "count")
        for by in ["os.name", "l", "k", "nothing"] {
            #expect(try sum(ask("values", numbers + [("by", by)]), "count") == count)
        }
        // A bucket is asked for as its days are.
        let versions = [(name: "dimension", value: "os.name")]
        let weeks = try ask("versions", versions + [("interval", "week")]).rows
        var single: [[Cell]] = []
        var day = try #require(CivilDate(parsing: Array("2026-02-23".utf8)))
        while day <= CivilDate(number: 20_553) {
            let days = range(
                max(day, CivilDate(number: 20_513)).text,
                min(day.adding(days: 6), CivilDate(number: 20_553)).text)
            single += try store.ask("versions", days + versions).rows.map {
                [.date(day)] + $0.cells
            }
            day = day.adding(days: 7)
        }
        #expect(weeks.map(\.cells) == single)
    }

    @Test("the days of all systems add up, filter by filter")
    func partition() throws {
        var random = SplitMix(seed: 99)
        let zone = try TimeZoneRules(name: "Europe/Paris")
        let store = try TestStore(
            (0..<8).flatMap { round in
                Self.population(&random, zone: zone).map { batch in
                    var batch = batch
                    batch.device = "\(round)-\(batch.device)"
                    return batch
                }
            }, timeZone: zone.name)
        let asked = range("2026-02-20", "2026-04-20")
        // The sum of a column over all rows.
        func sum(
            _ report: String, _ column: Int, _ pairs: [(name: String, value: String)]
        ) throws -> Int64 {
            try store.ask(report, asked + pairs).rows.reduce(0) { sum, row in
                if case .int(let count) = row.cells[column] { sum + count } else { sum }
            }
        }
        func sums(_ filter: [(name: String, value: String)]) throws -> [Int64] {
            [
                try sum("sessions", 1, filter), Int64(try store.export(asked + filter).count),
                try sum("events", 1, filter), try sum("events", 2, filter + [("interval", "week")]),
                try sum("events", 1, filter + [("name", "p"), ("by", "k")]),
                try sum("counters", 1, filter), try sum("counters", 2, filter),
            ]
        }
        let all = try sums([])
        var parts = [Int64](repeating: 0, count: all.count)
        for system in ["iOS", "Android", "unknown", "é", "e\u{301}"] {
            for (place, part) in try sums([("os.name", system)]).enumerated() {
                parts[place] += part
            }
        }
        #expect(all == parts && all[0] > 20 && all[1] == all[2] && all[2] == all[3])
    }
}
