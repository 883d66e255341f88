import Query
import StoreTestSupport
import TimeZones

/// Sums by what devices named, and by arrival.
extension ArrayQueries {
    func events(_ scope: QueryScope, by interval: Interval?, limit: Int) -> [NamedSum] {
        let twin = Twin(batches, scope, by: interval ?? .day)
        return sums(twin, twin.kept, interval, limit) { ByteText($0.event.name) }
    }

    func events(
        _ scope: QueryScope, named name: ByteText, byAttribute key: ByteText, limit: Int
    ) -> [NamedSum] {
        let twin = Twin(batches, scope)
        let events = twin.kept.filter { ByteText($0.event.name) == name }
        return sums(twin, events, nil, limit) { event in
            twin.text(event.event, key.string).map { ByteText(bytes: $0) }
        }
    }

    func counters(_ scope: QueryScope, by interval: Interval?, limit: Int) -> [NamedSum] {
        let twin = Twin(batches, scope, by: interval ?? .day)
        func text(_ event: Twin.Event, _ key: String) -> ByteText? {
            twin.text(event.event, key).map { ByteText(bytes: $0) }
        }
        let events = twin.kept.filter { $0.event.name == "usage.counter" }
        return sums(
            twin, events, interval, limit,
            amount: { text($0, "counter.value").flatMap { Int64($0.string) } ?? 1 }
        ) { text($0, "counter.name") }
    }

    /// The first `limit` names by their sums over the range, each then in every bucket.
    private func sums(
        _ twin: Twin, _ events: [Twin.Event], _ interval: Interval?, _ limit: Int,
        amount: (Twin.Event) -> Int64 = { _ in 1 }, name: (Twin.Event) -> ByteText?
    ) -> [NamedSum] {
        func sorted(_ events: [Twin.Event], bucket: Int) -> [NamedSum] {
            Dictionary(grouping: events, by: name).map { name, group -> NamedSum in
                NamedSum(
                    bucket: bucket, name: name, total: group.reduce(0) { $0 + amount($1) },
                    events: group.count, devices: twin.devices(group))
            }.sorted { a, b in
                if a.total != b.total { return a.total > b.total }
                guard let x = a.name, let y = b.name else { return a.name == nil && b.name != nil }
                return x < y
            }
        }
        let first = Array(sorted(events, bucket: 0).prefix(limit))
        if interval == nil { return first }
        return twin.bucketDays.enumerated().flatMap { bucket, days in
            sorted(events.filter { days.days.contains(twin.day($0.event.time)) }, bucket: bucket)
                .filter { sum in first.contains { $0.name == sum.name } }
        }
    }

    func contents(_ scope: QueryScope, limit: Int) -> [ContentSums] {
        let twin = Twin(batches, scope)
        func content(_ event: Twin.Event) -> ByteText? {
            twin.text(event.event, "content.id").map { ByteText(bytes: $0) }
        }
        let all = twin.events.filter { $0.event.name == "content.complete" }
        let kept = twin.kept
        let firsts = Dictionary(grouping: all + twin.prunedCompletions) { event in
            [content(event) ?? ByteText(""), ByteText(event.batch.device)]
        }.compactMapValues { events in events.min { $0.precedes($1, byKind: false) } }
        let credited = firsts.filter { owner, first in
            !twin.shared.contains(owner[1].string) && twin.matches(first.batch)
                && (twin.from...twin.to).contains(twin.day(first.event.time))
        }.keys.map { $0[0] }
        let views = kept.filter { $0.event.name == "content.view" }
        let completions = kept.filter { $0.event.name == "content.complete" }
        let sums = Set((views + completions).compactMap(content) + credited).map { name in
            let seen = views.filter { content($0) == name }
            let done = completions.filter { content($0) == name }
            return ContentSums(
                content: name, views: seen.count, viewers: twin.devices(seen),
                completions: done.count, completers: twin.devices(done),
                credited: credited.count { $0 == name })
        }
        return Array(
            sums.sorted {
                $0.viewers != $1.viewers ? $0.viewers > $1.viewers : $0.content < $1.content
            }
            .prefix(limit))
    }

    func videos(_ scope: QueryScope, percents: [Int], limit: Int) -> [VideoSums] {
        let twin = Twin(batches, scope)
        func video(_ event: Twin.Event) -> ByteText? {
            twin.text(event.event, "video.id").map { ByteText(bytes: $0) }
        }
        func isEnter(_ event: Twin.Event) -> Bool { event.event.name == "video.enter_fullscreen" }
        let all = twin.events.filter { isEnter($0) || $0.event.name == "video.exit_fullscreen" }
        let kept = twin.kept.filter(isEnter)
        let sums = Dictionary(grouping: kept, by: video).compactMap { name, enters -> VideoSums? in
            guard let name else { return nil }
            let times = enters.compactMap { enter -> Int64? in
                // Within a millisecond enters come first.
                func precedes(_ a: Twin.Event, _ b: Twin.Event) -> Bool {
                    if a.event.time != b.event.time || isEnter(a) == isEnter(b) {
                        return a.precedes(b, byKind: false)
                    }
                    return isEnter(a)
                }
                let next = all.filter {
                    $0.batch.device == enter.batch.device && video($0) == name
                        && precedes(enter, $0)
                }.min(by: precedes)
                guard let next, !isEnter(next) else { return nil }
                return next.event.time - enter.event.time
            }
            return VideoSums(
                video: name, enters: enters.count, devices: twin.devices(enters),
                duration: times.reduce(0) { $0 + Int128($1) },
                ranks: Self.ranks(percents, of: times))
        }
        return Array(
            sums.sorted { $0.enters != $1.enters ? $0.enters > $1.enters : $0.video < $1.video }
                .prefix(limit))
    }

    func arrivals(
        _ scope: QueryScope, by interval: Interval, percents: [Int], clients: Int
    ) -> Arrivals {
        let twin = Twin(batches, scope, by: interval)
        let matching = batches.filter(twin.matches)
        let buckets = twin.bucketDays.map { _, days in
            func isHere(_ time: Int64) -> Bool { days.contains(twin.day(time)) }
            let here = matching.filter { isHere($0.receivedAt) }
            let again = matching.flatMap(\.repeats).filter { isHere($0.time) }
            var bucket = Arrivals.Bucket()
            bucket.batches = here.count
            bucket.duplicates = Int128(again.count)
            bucket.events = here.reduce(0) { $0 + Int128($1.events.count) }
            bucket.rejected = here.reduce(0) { $0 + Int128($1.rejected.count) }
            bucket.bytes = (here.map(\.bytes) + again.map(\.bytes)).reduce(0) { $0 + Int128($1) }
            bucket.corrected = here.count { $0.clockShift != 0 }
            bucket.missing = twin.holes.reduce(0) {
                $0 + (isHere($1.time) ? Int128($1.missing) : 0)
            }
            bucket.dropped = here.reduce(0) { $0 + Int128($1.dropped) }
            bucket.late = Self.ranks(
                percents,
                of: here.flatMap { batch in batch.left.map { batch.receivedAt - $0.event.time } })
            return bucket
        }
        let here = matching.filter { (twin.from...twin.to).contains(twin.day($0.receivedAt)) }
        func counts(_ name: (SentBatch) -> String?) -> [(name: ByteText, batches: Int)] {
            Dictionary(grouping: here.compactMap(name), by: { ByteText($0) })
                .map { (name: $0.key, batches: $0.value.count) }.sorted { $0.name < $1.name }
        }
        let profiles: [Int64: String] = [1: "aes128gcm", 2: "jwe", 3: "plain", 4: "legacy"]
        return Arrivals(
            buckets: buckets, profiles: counts { profiles[$0.profile] ?? "unknown" },
            keys: counts(\.key), clients: twin.clients(named: clients))
    }

    func refusals(_ scope: QueryScope, by interval: Interval) -> [RefusalSum] {
        let twin = Twin(batches, scope, by: interval)
        let single = batches.flatMap { batch in
            batch.rejected.map { (code: $0, time: batch.receivedAt) }
        }
        return twin.bucketDays.enumerated().flatMap { bucket, days in
            func count(_ list: [(code: String, time: Int64)], _ code: String) -> Int128 {
                Int128(
                    list.count { $0.code == code && days.days.contains(twin.day($0.time)) })
            }
            return Set((single + refused).map(\.code)).sorted().compactMap { code in
                let (whole, events) = (count(refused, code), count(single, code))
                return whole + events == 0
                    ? nil
                    : RefusalSum(
                        bucket: bucket, code: ByteText(code), batches: whole, events: events)
            }
        }
    }
}
