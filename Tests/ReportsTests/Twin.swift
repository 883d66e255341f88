import Foundation
import Query
import Reports
import StoreTestSupport
import TimeZones

/// The reports by brute force, from the list of batches: nothing here knows the database.
struct Twin {
    /// An event and what its batch says.
    struct Event {
        let batch: SentBatch
        let event: SentEvent
        let index: Int

        /// Docs/reports.md, Sessions: by time, within a millisecond perhaps by what they begin or end,
        /// then by batch and index.
        func precedes(_ other: Event, byKind: Bool) -> Bool {
            func rank(_ event: Event) -> Int {
                ["session.start": 0, "session.end": 2, "session.resume": 3][event.event.name] ?? 1
            }
            if event.time != other.event.time { return event.time < other.event.time }
            if byKind, rank(self) != rank(other) { return rank(self) < rank(other) }
            let (x, y) = (Array(batch.id.utf8), Array(other.batch.id.utf8))
            return x != y ? x.lexicographicallyPrecedes(y) : index < other.index
        }
    }

    let batches: [SentBatch]
    let events: [Event]
    let shared: Set<String>
    /// The first event ever of each device.
    let firsts: [String: Event]
    /// Of deleted events.
    let prunedCompletions: [Event]
    let zone: TimeZoneRules
    let timeout: Int64
    let now: Int64
    let from: Int
    let to: Int
    let interval: Interval
    let filters: [String: [String]]

    /// - Parameter lasting: what is known of devices besides their events; nil: what these say
    init(
        _ batches: [SentBatch], _ question: Question, filters: [String: [String]],
        lasting: [String: LastingFacts]? = nil
    ) {
        self.batches = batches
        events = Self.events(of: batches)
        let known = lasting ?? LastingFacts.of(batches)
        shared = Set(known.filter(\.value.isShared).keys)
        firsts = known.compactMapValues(\.first)
        prunedCompletions = known.values.flatMap(\.completions.values)
        zone = question.zone
        timeout = question.app.sessionTimeout
        now = question.scope.now
        (from, to) = (question.from.number, question.to.number)
        interval = question.interval
        self.filters = filters
    }

    /// What is left of them.
    static func events(of batches: [SentBatch]) -> [Event] {
        batches.flatMap { batch in
            batch.left.map { Event(batch: batch, event: $0.event, index: $0.index) }
        }
    }

    func day(_ time: Int64) -> Int {
        let local = time + zone.offset(at: time)
        return Int((local - ((local % 86_400_000) + 86_400_000) % 86_400_000) / 86_400_000)
    }

    func value(_ batch: SentBatch, _ member: String) -> String {
        let text = batch.resource[member] ?? ""
        return text.isEmpty ? "unknown" : text
    }

    func matches(_ batch: SentBatch) -> Bool {
        filters.allSatisfy { name, values in
            values.contains { Array($0.utf8) == Array(value(batch, name).utf8) }
        }
    }

    var bucketDays: [(start: CivilDate, days: [Int])] {
        var out: [(start: CivilDate, days: [Int])] = []
        for number in from...to {
            let start =
                interval.start(of: CivilDate(number: number)) ?? CivilDate(number: from)
            if out.last?.start != start { out.append((start, [])) }
            out[out.count - 1].days.append(number)
        }
        return out
    }

    // MARK: - active

    func active() -> [[Cell]] {
        var byDay: [Int: Set<String>] = [:]
        for event in events where !shared.contains(event.batch.device) {
            let device = event.batch.device
            if matches(event.batch) { byDay[day(event.event.time), default: []].insert(device) }
        }
        func union(_ days: some Sequence<Int>) -> Set<String> {
            days.reduce(into: []) { $0.formUnion(byDay[$1] ?? []) }
        }
        func new(_ devices: Set<String>, _ days: [Int]) -> Int {
            devices.count { device in
                firsts[device].map { days.contains(day($0.event.time)) } ?? false
            }
        }
        return bucketDays.map { start, days in
            let active = union(days)
            if interval != .day {
                return [
                    .text(start.text), .int(Int64(active.count)), .int(Int64(new(active, days))),
                ]
            }
            let month = union((days[0] - 29)...days[0])
            return [
                .text(start.text), .int(Int64(active.count)),
                .int(Int64(union((days[0] - 6)...days[0]).count)), .int(Int64(month.count)),
                .int(Int64(new(active, days))), ratio(active.count, month.count),
            ]
        }
    }

    // MARK: - sessions

    struct Session {
        let first: Event
        let duration: Int64
        let state: Int
    }

    func sessions() -> [Session] {
        // A key of bytes: `String`s that Unicode calls equal are two sessions.
        let groups = Dictionary(
            grouping: events.filter { $0.event.session != nil },
            by: { [Array($0.batch.device.utf8), Array(($0.event.session ?? "").utf8)] })
        return groups.values.compactMap { group in
            let sorted = group.sorted { $0.precedes($1, byKind: true) }
            guard let first = sorted.first, let last = sorted.last else { return nil }
            var duration: Int64 = 0
            for index in sorted.indices.dropFirst()
            where Self.isForeground(after: sorted[..<index]) {
                let gap = sorted[index].event.time - sorted[index - 1].event.time
                if gap <= timeout { duration += gap }
            }
            let state =
                Self.isForeground(after: sorted[...])
                ? now - last.event.time < timeout ? 2 : 1 : 0
            let found = (from...to).contains(day(first.event.time)) && matches(first.batch)
            return found ? Session(first: first, duration: duration, state: state) : nil
        }
    }

    /// Whether the last of them that tells says that the app is in the foreground; if none does, it is.
    static func isForeground(after events: ArraySlice<Event>) -> Bool {
        let telling = ["session.start", "session.resume", "session.end"]
        return events.last { telling.contains($0.event.name) }?.event.name != "session.end"
    }

    func sessionRows() -> [[Cell]] {
        let all = sessions()
        return bucketDays.map { start, days in
            let group = all.filter { days.contains(day($0.first.event.time)) }
            let own = group.filter { !shared.contains($0.first.batch.device) }
            let devices = Set(own.map(\.first.batch.device)).count
            let durations = group.map(\.duration).sorted()
            let sum = durations.reduce(0, +)
            func rank(_ percent: Int) -> Cell {
                durations.isEmpty
                    ? .null
                    : .decimal(
                        units: durations[(percent * durations.count + 99) / 100 - 1], places: 3)
            }
            let mean: Cell =
                group.isEmpty
                ? .null
                : .decimal(
                    units: (2 * sum + Int64(group.count)) / Int64(2 * group.count), places: 3)
            return [
                .text(start.text), .int(Int64(group.count)), .int(Int64(devices)),
                ratio(own.count, devices), mean, rank(50), rank(90), rank(95),
                .decimal(units: sum, places: 3),
            ] + (0..<3).map { state in .int(Int64(group.count { $0.state == state })) }
        }
    }

    // MARK: - platforms

    func platforms() -> [[Cell]] {
        let kept = events.filter { (from...to).contains(day($0.event.time)) && matches($0.batch) }
        let found = sessions()
        var rows: [(name: [UInt8], devices: Int, own: Int, sessions: Int, time: Int64)] = []
        for name in Set(kept.map { Array(value($0.batch, "os.name").utf8) }) {
            let devices = Set(
                kept.filter {
                    Array(value($0.batch, "os.name").utf8) == name
                        && !shared.contains($0.batch.device)
                }.map(\.batch.device))
            let group = found.filter { Array(value($0.first.batch, "os.name").utf8) == name }
            rows.append(
                (
                    name, devices.count, group.count { !shared.contains($0.first.batch.device) },
                    group.count, group.reduce(0) { $0 + $1.duration }
                ))
        }
        rows.sort {
            $0.devices != $1.devices
                ? $0.devices > $1.devices : $0.name.lexicographicallyPrecedes($1.name)
        }
        let devices = rows.reduce(0) { $0 + $1.devices }
        let time = rows.reduce(0) { $0 + $1.time }
        return rows.map { row in
            [
                .text(ByteText(bytes: row.name)), .int(Int64(row.devices)),
                ratio(row.devices, devices), .int(Int64(row.sessions)),
                .decimal(units: row.time, places: 3), ratio(Int(row.time), Int(time)),
                ratio(Int(row.time) * devices, Int(time) * row.devices),
                ratio(row.own, row.devices),
            ]
        }
    }

    // MARK: - events, counters

    /// What is kept of the events: those of the range whose batches match.
    var kept: [Event] {
        events.filter { (from...to).contains(day($0.event.time)) && matches($0.batch) }
    }

    /// An attribute as `by` sees it; nil where the event has none.
    func text(_ event: SentEvent, _ key: String) -> [UInt8]? {
        if key == "session.id" { return event.session.map { Array($0.utf8) } }
        guard let json = event.attributes.first(where: { $0.key == key })?.json else { return nil }
        guard json.hasPrefix("\"") else { return Array(json.utf8) }
        let value =
            try? JSONSerialization.jsonObject(
                with: Data("[\(json)]".utf8)) as? [String]
        return (value?.first).map { Array($0.utf8) }
    }

    /// Sums by name, also by bucket if `dated`: cells of the date, the name, then those of `figures`.
    func ranked(
        _ events: [Event], dated: Bool, limit: Int, name: (Event) -> [UInt8]?,
        amount: (Event) -> Int64, figures: (_ total: Int64, _ count: Int, _ devices: Int) -> [Cell]
    ) -> [[Cell]] {
        func total(_ group: [Event]) -> Int64 { group.reduce(0) { $0 + amount($1) } }
        func precedes(_ a: [UInt8]?, _ b: [UInt8]?) -> Bool {
            guard let a, let b else { return a == nil && b != nil }
            return a.lexicographicallyPrecedes(b)
        }
        func order(_ groups: [[UInt8]?: [Event]]) -> [[UInt8]?] {
            groups.keys.sorted { a, b in
                let (x, y) = (total(groups[a] ?? []), total(groups[b] ?? []))
                return x != y ? x > y : precedes(a, b)
            }
        }
        let first = order(Dictionary(grouping: events, by: name)).prefix(limit)
        var rows: [[Cell]] = []
        for (start, days) in dated ? bucketDays : [(CivilDate(number: 0), Array(from...to))] {
            let groups = Dictionary(
                grouping: events.filter { days.contains(day($0.event.time)) }, by: name)
            for key in order(groups) where first.contains(key) {
                let group = groups[key] ?? []
                let devices = Set(group.map(\.batch.device)).subtracting(shared).count
                rows.append(
                    (dated ? [Cell.text(start.text)] : [])
                        + [key.map { .text(ByteText(bytes: $0)) } ?? .null]
                        + figures(total(group), group.count, devices))
            }
        }
        return rows
    }

    func eventRows(dated: Bool, limit: Int) -> [[Cell]] {
        ranked(
            kept, dated: dated, limit: limit, name: { Array($0.event.name.utf8) },
            amount: { _ in 1 }, figures: { [.int($0), .int(Int64($2))] })
    }

    func valueRows(name: String, by key: String, limit: Int) -> [[Cell]] {
        ranked(
            kept.filter { $0.event.name == name }, dated: false, limit: limit,
            name: { text($0.event, key) }, amount: { _ in 1 },
            figures: { [.int($0), .int(Int64($2))] })
    }

    func counterRows(dated: Bool, limit: Int) -> [[Cell]] {
        ranked(
            kept.filter { $0.event.name == "usage.counter" }, dated: dated, limit: limit,
            name: { text($0.event, "counter.name") },
            amount: { event in
                Int64(String(decoding: text(event.event, "counter.value") ?? [0x31], as: UTF8.self))
                    ?? 0
            }, figures: { [.int($0), .int(Int64($1)), .int(Int64($2))] })
    }

    // MARK: - versions

    func versions(_ dimension: String, limit: Int) -> [[Cell]] {
        func value(_ event: Event) -> [UInt8] { Array(self.value(event.batch, dimension).utf8) }
        let own = Dictionary(
            grouping: kept.filter { !shared.contains($0.batch.device) }, by: \.batch.device)
        let latest = own.compactMapValues { group in
            group.max { a, b in
                a.event.time != b.event.time
                    ? a.event.time < b.event.time
                    : value(a).lexicographicallyPrecedes(value(b))
            }.map(value)
        }
        let started = sessions()
        let rows = Set(latest.values).union(started.map { value($0.first) }).map { name in
            let devices = latest.filter { $0.value == name }.keys
            let new = devices.count { device in
                firsts[device].map { (from...to).contains(day($0.event.time)) } ?? false
            }
            let count = started.count { value($0.first) == name }
            return (name: name, devices: devices.count, sessions: count, new: new)
        }
        return rows.sorted {
            $0.devices != $1.devices
                ? $0.devices > $1.devices : $0.name.lexicographicallyPrecedes($1.name)
        }.prefix(limit).map { row in
            [
                .text(ByteText(bytes: row.name)), .int(Int64(row.devices)),
                ratio(row.devices, latest.count), .int(Int64(row.sessions)), .int(Int64(row.new)),
            ]
        }
    }

    private func ratio(_ a: Int, _ b: Int) -> Cell {
        b == 0 ? .null : .decimal(units: Int64((2_000_000 * a + b) / (2 * b)), places: 6)
    }
}
