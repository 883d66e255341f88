import Foundation
import Query
import StoreTestSupport
import TimeZones

/// How numbers, hours and lengths spread.
extension ArrayQueries {
    func numbers(
        _ scope: QueryScope, named name: ByteText, of key: ByteText, by grouping: NumberGrouping?,
        by interval: Interval?, percents: [Int], limit: Int
    ) -> NumberSpreads {
        let twin = Twin(batches, scope, by: interval ?? .all)
        let events = twin.kept.filter { ByteText($0.event.name) == name }
        func number(_ event: Twin.Event) -> Double? {
            let json = event.event.attributes.first { ByteText($0.key) == key }?.json
            return json.flatMap { $0.hasPrefix("t") || $0.hasPrefix("f") ? nil : Double($0) }
        }
        func text(_ event: Twin.Event) -> ByteText? {
            switch grouping {
            case nil: nil
            case .resource(let dimension): ByteText(twin.value(event.batch, dimension))
            case .attribute(let key):
                twin.text(event.event, key.string).map { ByteText(bytes: $0) }
            }
        }
        let counted = events.filter { number($0) != nil }
        func precedes(_ a: (ByteText?, Int), _ b: (ByteText?, Int)) -> Bool {
            if a.1 != b.1 { return a.1 > b.1 }
            guard let x = a.0, let y = b.0 else { return a.0 == nil && b.0 != nil }
            return x < y
        }
        let shown = Dictionary(grouping: counted, by: text).map { ($0.key, $0.value.count) }
            .sorted(by: precedes).prefix(grouping == nil ? 1 : limit).map(\.0)
        var spreads: [NumberSpread] = []
        for (bucket, days) in twin.bucketDays.enumerated() {
            let here = counted.filter { days.days.contains(twin.day($0.event.time)) }
            let groups = Dictionary(grouping: here, by: text).filter { shown.contains($0.key) }
            if grouping == nil, groups.isEmpty {
                spreads.append(NumberSpread(bucket: bucket, ranks: percents.count))
            }
            for (name, _) in groups.map({ ($0.key, $0.value.count) }).sorted(by: precedes) {
                let events = groups[name] ?? []
                var spread = NumberSpread(bucket: bucket, name: name, ranks: percents.count)
                let values = events.compactMap(number).map { $0 == 0 ? 0 : $0 }.sorted()
                spread.count = values.count
                spread.devices = twin.devices(events)
                let sum = Self.sum(values)
                spread.sum = Self.millionths(sum, over: 1)
                spread.mean = Self.millionths(sum, over: values.count)
                (spread.least, spread.greatest) = (values.first, values.last)
                spread.ranks = percents.map { values[($0 * values.count + 99) / 100 - 1] }
                spreads.append(spread)
            }
        }
        return NumberSpreads(spreads: spreads, withoutNumber: events.count - counted.count)
    }

    /// Exact as long as the numbers are thousandths, below 10^9 and few.
    private static func sum(_ values: [Double]) -> Decimal {
        values.reduce(Decimal(0)) { $0 + (Decimal(string: "\($1)") ?? .nan) }
    }

    private static func millionths(_ sum: Decimal, over count: Int) -> Int128 {
        var quotient = (sum.isSignMinus ? -sum : sum) * 1_000_000 / Decimal(count)
        var rounded = Decimal()
        NSDecimalRound(&rounded, &quotient, 0, .plain)
        let units = Int128(NSDecimalNumber(decimal: rounded).int64Value)
        return sum.isSignMinus ? -units : units
    }

    func hours(_ scope: QueryScope) -> [HourSums] {
        let twin = Twin(batches, scope)
        func hour(_ time: Int64) -> Int {
            let local = time + twin.zone.offset(at: time)
            // Since the first Monday.
            let since = local - 4 * day
            return Int((since % (7 * day) + 7 * day) % (7 * day) / 3_600_000)
        }
        let kept = twin.kept
        let sessions = twin.sessions()
        return (0..<168).map { index in
            let here = kept.filter { hour($0.event.time) == index }
            var sums = HourSums()
            sums.events = here.count
            sums.devices = twin.devices(here)
            sums.sessions = sessions.count { hour($0.first.event.time) == index }
            return sums
        }
    }

    func lengths(_ scope: QueryScope, edges: [Int64]) -> [LengthSums] {
        let twin = Twin(batches, scope)
        let sessions = twin.sessions()
        return edges.indices.map { index in
            let own = sessions.filter { session in
                session.duration >= edges[index]
                    && (index + 1 == edges.count || session.duration < edges[index + 1])
            }
            var sums = LengthSums()
            sums.sessions = own.count
            sums.devices = twin.devices(own.map(\.first))
            return sums
        }
    }

    func versions(
        _ scope: QueryScope, by dimension: String, interval: Interval?, limit: Int
    ) -> Versions {
        let twin = Twin(batches, scope, by: interval ?? .all)
        func value(_ batch: SentBatch) -> ByteText { ByteText(twin.value(batch, dimension)) }
        let kept = twin.kept.filter { !twin.shared.contains($0.batch.device) }
        let sessions = twin.sessions()
        var (all, devices) = ([Versions.Value](), [Int]())
        for (bucket, days) in twin.bucketDays.enumerated() {
            func isHere(_ event: Twin.Event) -> Bool {
                days.days.contains(twin.day(event.event.time))
            }
            var latest: [String: ByteText] = [:]
            for (device, events) in Dictionary(grouping: kept.filter(isHere), by: \.batch.device) {
                let last = events.max { a, b in
                    a.event.time != b.event.time
                        ? a.event.time < b.event.time : value(a.batch) < value(b.batch)
                }
                if let last { latest[device] = value(last.batch) }
            }
            let begun: [ByteText] = sessions.map(\.first).filter(isHere).map { value($0.batch) }
            devices.append(latest.count)
            for name in Set(latest.values).union(begun) {
                let own = latest.filter { $0.value == name }.keys
                let new = own.filter { twin.isNew($0, in: days.days) }
                let sessions = begun.filter { $0 == name }
                all.append(
                    Versions.Value(
                        bucket: bucket, name: name, devices: own.count, sessions: sessions.count,
                        new: new.count))
            }
        }
        var totals: [ByteText: Int] = [:]
        for value in all { totals[value.name, default: 0] += value.devices }
        let shown = totals.sorted { a, b in
            a.value != b.value ? a.value > b.value : a.key < b.key
        }.prefix(limit).map(\.key)
        let values = all.filter { shown.contains($0.name) }.sorted { a, b in
            if a.bucket != b.bucket { return a.bucket < b.bucket }
            return a.devices != b.devices ? a.devices > b.devices : a.name < b.name
        }
        return Versions(values: values, devices: devices)
    }
}
