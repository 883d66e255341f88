import Query
import StoreTestSupport
import Synchronization
import TimeZones

/// `Queries` by brute force over an array of batches, by the definitions of docs/reports.md alone: what a second
/// engine has to give.
struct ArrayQueries: Queries {
    /// How many counts are still too early to find anything.
    final class EarlyCounts: Sendable {
        private let left: Atomic<Int>

        init(_ count: Int) { left = Atomic(count) }

        /// Whether this one is.
        func takeOne() -> Bool { left.subtract(1, ordering: .relaxed).oldValue > 0 }
    }

    let batches: [SentBatch]
    /// Whole batches that were refused.
    var refused: [(code: String, time: Int64)] = []
    /// The batches come only after so many counts of devices.
    var early = EarlyCounts(0)

    func check() {}

    func activeDevices(
        _ scope: QueryScope, by interval: Interval, trailing: [Int]
    ) -> [ActiveDevices] {
        let twin = Twin(batches, scope, by: interval)
        var byDay: [Int: Set<String>] = [:]
        for event in twin.events where !twin.shared.contains(event.batch.device) {
            if twin.matches(event.batch) {
                byDay[twin.day(event.event.time), default: []].insert(event.batch.device)
            }
        }
        func devices(_ days: some Sequence<Int>) -> Set<String> {
            days.reduce(into: []) { $0.formUnion(byDay[$1] ?? []) }
        }
        return twin.bucketDays.map { _, days in
            let active = devices(days)
            var value = ActiveDevices(
                trailing: trailing.map { devices((days[0] - $0 + 1)...days[0]).count })
            value.active = active.count
            value.new = active.count { twin.isNew($0, in: days) }
            return value
        }
    }

    func deviceCount(_ scope: QueryScope, sending name: ByteText?, upTo limit: Int) -> Int {
        if early.takeOne() { return 0 }
        let twin = Twin(batches, scope)
        return min(
            limit,
            twin.devices(twin.kept.filter { name == nil || ByteText($0.event.name) == name }))
    }

    func sessions(
        _ scope: QueryScope, by interval: Interval, percents: [Int]
    ) -> [SessionSums] {
        let twin = Twin(batches, scope, by: interval)
        let all = twin.sessions()
        return twin.bucketDays.map { _, days in
            let group = all.filter { days.contains(twin.day($0.first.event.time)) }
            let own = group.filter { !twin.shared.contains($0.first.batch.device) }
            var sums = SessionSums()
            sums.sessions = group.count
            sums.unshared = own.count
            sums.devices = Set(own.map(\.first.batch.device)).count
            sums.duration = group.reduce(0) { $0 + Int128($1.duration) }
            sums.ranks = Self.ranks(percents, of: group.map(\.duration))
            sums.closed = group.count { $0.state == 0 }
            sums.inferred = group.count { $0.state == 1 }
            sums.open = group.count { $0.state == 2 }
            return sums
        }
    }

    func cohorts(_ scope: QueryScope, by interval: Interval, periods: Int) -> [Cohort] {
        let twin = Twin(batches, scope, by: interval)
        let days = twin.activeDays
        return twin.bucketDays.map { start, cohort in
            let devices = twin.newcomers(in: cohort)
            var (period, active) = (start, [Int?]())
            for _ in 0...periods {
                let next = interval.next(after: period) ?? scope.to.adding(days: 1)
                let isCome = period <= scope.today
                active.append(
                    isCome
                        ? devices.count { device in
                            days[device]?.contains { period.number <= $0 && $0 < next.number }
                                ?? false
                        } : nil)
                period = next
            }
            return Cohort(size: devices.count, active: active)
        }
    }

    func lifetimes(_ scope: QueryScope, inactive: Int) -> [Lifetime] {
        let twin = Twin(batches, scope)
        let days = twin.activeDays
        var lives: [Lifetime] = []
        for device in twin.newcomers(in: Array(twin.from...twin.to)) {
            guard let first = twin.firsts[device].map({ twin.day($0.event.time) }) else { continue }
            let last = days[device]?.filter { first <= $0 && $0 <= twin.to }.max() ?? first
            while lives.count < last - first + 1 { lives.append(Lifetime()) }
            lives[last - first].ended += 1
            if twin.to - last >= inactive { lives[last - first].lost += 1 }
        }
        return lives
    }

    func platforms(_ scope: QueryScope, limit: Int) -> Platforms {
        let twin = Twin(batches, scope)
        let sessions = twin.sessions()
        func name(_ batch: SentBatch) -> ByteText { ByteText(twin.value(batch, "os.name")) }
        let groups: [ByteText: [Twin.Event]] = Dictionary(
            grouping: twin.kept, by: { name($0.batch) })
        var systems: [Platforms.System] = []
        for (system, events) in groups {
            let own = sessions.filter { name($0.first.batch) == system }
            let unshared = own.filter { !twin.shared.contains($0.first.batch.device) }
            let duration: Int128 = own.reduce(0) { $0 + Int128($1.duration) }
            systems.append(
                Platforms.System(
                    name: system, devices: twin.devices(events), sessions: own.count,
                    unshared: unshared.count, duration: duration))
        }
        systems.sort { a, b in
            a.devices != b.devices ? a.devices > b.devices : a.name < b.name
        }
        return Platforms(
            systems: Array(systems.prefix(limit)),
            devices: systems.reduce(0) { $0 + Int128($1.devices) },
            duration: systems.reduce(0) { $0 + $1.duration })
    }

    func funnel(_ scope: QueryScope, _ steps: [EventMatcher], within: Int64) -> [Int] {
        Twin(batches, scope).funnel(
            steps.map {
                (name: $0.name.string, key: $0.attribute?.string, value: $0.value.string)
            }, within: within)
    }

    /// The ⌈p·n⌉-th smallest.
    static func ranks(_ percents: [Int], of values: [Int64]) -> [Int64?] {
        let sorted = values.sorted()
        return percents.map { sorted.isEmpty ? nil : sorted[($0 * sorted.count + 99) / 100 - 1] }
    }
}

extension Twin {
    /// Of what a question is about.
    init(_ batches: [SentBatch], _ scope: QueryScope, by interval: Interval = .day) {
        self.batches = batches
        events = Self.events(of: batches)
        let known = LastingFacts.of(batches)
        shared = Set(known.filter(\.value.isShared).keys)
        firsts = known.compactMapValues(\.first)
        prunedCompletions = known.values.flatMap(\.completions.values)
        zone = scope.zone
        timeout = scope.app.sessionTimeout
        now = scope.now
        (from, to) = (scope.from.number, scope.to.number)
        self.interval = interval
        var filters: [String: [String]] = [:]
        for (name, values) in zip(ResourceFilter.dimensions, scope.filter.values)
        where !values.isEmpty {
            filters[name] = values.map(\.string)
        }
        self.filters = filters
    }

    /// Whether a device was first seen on one of these days, whatever the filters.
    func isNew(_ device: String, in days: [Int]) -> Bool {
        firsts[device].map { days.contains(day($0.event.time)) } ?? false
    }

    /// Devices first seen on one of these days by a batch that the filters let through.
    func newcomers(in days: [Int]) -> [String] {
        firsts.filter { !shared.contains($0.key) && matches($0.value.batch) }.keys
            .filter { isNew($0, in: days) }
    }

    /// The days on which devices had an event, whatever the filters.
    var activeDays: [String: Set<Int>] {
        Dictionary(grouping: events, by: \.batch.device).mapValues { events in
            Set(events.map { day($0.event.time) })
        }
    }

    /// Distinct devices, shared ones left out.
    func devices(_ events: [Event]) -> Int {
        Set(events.map(\.batch.device)).subtracting(shared).count
    }
}
