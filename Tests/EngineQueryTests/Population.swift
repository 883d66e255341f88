import StoreTestSupport
import TestSupport
import TimeZones

/// Batches in which everything happens that makes answers differ: sessions over batches and midnights, ties in
/// every order, texts that Unicode calls equal, shared devices, other clocks, repeats and refusals.
struct Population {
    /// Of batches that are stored.
    var batches: [SentBatch] = []
    var refused: [(code: String, time: Int64)] = []

    static let zones = [
        "UTC", "Europe/Paris", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia",
        "Australia/Lord_Howe", "Pacific/Kiritimati", "America/Santiago", "Africa/Cairo",
        "Africa/Casablanca", "America/New_York",
    ]

    private static let names = [
        "session.start", "session.end", "session.resume", "screen.view", "p", "p", "q",
        "usage.counter", "content.view", "content.complete", "content.complete",
        "video.enter_fullscreen", "video.enter_fullscreen", "video.exit_fullscreen",
    ]
    private static let texts = [#""x""#, #""é""#, "\"e\u{301}\"", #""=""#]
    private static let values = [
        "5", #""5""#, "true", #""true""#, "1.5", #""""#, #""a\"\\""#, #""z""#, "false", "-7",
        "1e+100", "-1e+100", "0.1", "123456789.25", "5e-324", "9007199254740991", "0",
        #""n5""#, #""\u0001\u001f\n""#, #""\#u{1F600}""#, "0.0078125", "-5e-7",
    ]

    /// - Parameter crowded: within a few milliseconds, so that all but the order of ids is equal
    init(_ random: inout SplitMix, zone: TimeZoneRules, crowded: Bool = false) {
        let isCrowded = random.oneIn(4) || crowded
        let isRanged = random.oneIn(3)
        let devices = 1 + random.next(9)
        // Around the change of the clocks in Europe, and the midnights of the zone.
        let midnight = zone.window(
            from: CivilDate(number: 20_540), to: CivilDate(number: 20_540)
        ).lowerBound
        var used: Set<String> = []
        for _ in 0..<(1 + random.next(40)) {
            let device = "d\(random.next(devices))"
            let id = random.pick(["a", "B", "_", ":", "1"]) + "\(random.next(9))"
            guard used.insert(device + "/" + id).inserted else { continue }
            let far = isCrowded ? [0, 1] : [0, 1, 1000, hour, day, 4 * day, 13 * day]
            var time = midnight + Int64(random.next(9) - 4) * random.pick(far)
            let steps =
                isCrowded
                ? [0, 0, 1]
                : [0, 0, 1, 500, 599_999, 600_000, 600_001, hour, -hour, day, 3 * day]
            let events = (0..<random.next(12)).map { _ in
                time += random.pick(steps)
                return Self.event(&random, time, isRanged: isRanged)
            }
            batches.append(Self.batch(&random, device: device, id: id, events))
        }
        // As they arrived.
        batches.sort {
            $0.receivedAt != $1.receivedAt ? $0.receivedAt < $1.receivedAt : $0.id < $1.id
        }
        refused = (0..<random.next(8)).map { _ in
            (
                code: random.pick(["unauthorized", "a", "too-large"]),
                time: noon + Int64(random.next(9) - 4) * random.pick([0, 900_000, hour, 9 * day])
            )
        }
    }

    private static func event(
        _ random: inout SplitMix, _ time: Int64, isRanged: Bool
    ) -> SentEvent {
        let name = random.pick(names)
        var list: [(key: String, json: String)] = []
        switch name {
        case "usage.counter":
            list.append(("counter.name", random.pick(texts)))
            if random.next(2) == 0 {
                list.append(("counter.value", random.pick(["1", "2", "3", "1000000000"])))
            }
        case "content.view", "content.complete": list.append(("content.id", random.pick(texts)))
        case "video.enter_fullscreen", "video.exit_fullscreen":
            list.append(("video.id", random.pick(texts)))
        default: break
        }
        if random.next(3) > 0 {
            list.append(
                ("k", isRanged ? "\(random.next(2000) - 1000)" : random.pick(values)))
        }
        if random.next(3) == 0 { list.append(("l", random.pick(["1", #""k""#, "true"]))) }
        if random.next(3) == 0 { list.append(("n", random.pick(values))) }
        random.shuffle(&list)
        let needsSession = name.hasPrefix("session.")
        let session =
            needsSession
            ? random.pick(["s", "t"])
            : random.pick([nil, "s", "t", "é", "e\u{301}", "5"] as [String?])
        return SentEvent(name, time, session, list)
    }

    private static func batch(
        _ random: inout SplitMix, device: String, id: String, _ events: [SentEvent]
    ) -> SentBatch {
        let resource = [
            "os.name": random.pick(["iOS", "Android", "", "unknown", "é", "e\u{301}"]),
            "os.version": random.pick(["1", "", "2"]),
            "service.version": random.pick(["5.1", "5.2", "5.10", ""]),
            "device.model.identifier": random.pick(["m", ""]),
            "device.manufacturer": random.pick(["", "f"]),
            "app.build_id": random.pick(["", "b'\\"]),
            "telemetry.sdk.name": random.pick(["a", "a/b", "b", "", "unknown"]),
            "telemetry.sdk.version": random.pick(["1", "b/1", "", "unknown"]),
        ]
        var batch = SentBatch(
            device: device, id: id, resource: resource, isShared: random.next(20) == 0,
            events: events, firstIndex: random.next(3))
        batch.receivedAt =
            noon + Int64(random.next(40) - 20) * random.pick([0, 1, 900_000, hour, day])
        batch.clockShift = random.pick([0, 0, 5000, -70_000])
        batch.profile = Int64(1 + random.next(4))
        batch.key = random.pick([nil, "k-a", "k-b", "k-Z"] as [String?])
        batch.sequence = random.pick([
            nil, Int64(random.next(12)), Int64(random.next(30_000)), 9_007_199_254_740_991,
        ])
        batch.dropped = random.pick([0, 1, 2, 9_007_199_254_740_991])
        batch.bytes = Int64(random.next(900))
        batch.rejected = (0..<random.next(3)).map { _ in random.pick(["too-old", "bad-name"]) }
        batch.repeats = (0..<random.next(3)).map { _ in
            (
                time: batch.receivedAt + Int64(random.next(3)) * random.pick([1, hour]),
                bytes: Int64(random.next(99))
            )
        }
        return batch
    }
}
