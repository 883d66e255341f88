import Client
import TestSupport
import Truth

/// Devices whose lives have all that makes reports hard: ties within a millisecond, gaps as long as the
/// session timeout, sessions over midnight, resumed and never closed, batches in any order of ids.
struct RandomDevices {
    private var random: SplitMix
    /// Between which events lie.
    private let period: Range<Int64>

    /// Batches of a device with a wrong clock come to lie a little off: none of its events is near anything
    /// that decides. No multiple of it is near half an hour, an hour or a day.
    private static let grid: Int64 = 11_000

    init(seed: UInt64, period: Range<Int64>) {
        random = SplitMix(seed: seed)
        self.period = period
    }

    /// A device.
    /// - Parameters:
    ///   - isShared: its id is one that says nothing
    ///   - isVague: its clock is wrong at times
    mutating func device(_ number: Int, isShared: Bool, isVague: Bool) -> SentDevice {
        var events = life(isVague: isVague)
        var batches: [ToldBatch] = []
        var tooOld: [[Int]] = []
        var sequence: Int64 = 0
        var start = 0
        while start < events.count || batches.isEmpty {
            let end = min(events.count, start + 1 + random.next(14))
            var range = Array(start..<end)
            if random.oneIn(8) { range = [] }
            var resource = resource(number)
            resource.sdkVersion = random.oneIn(4) ? nil : "1.\(random.next(2)).0"
            let old = random.oneIn(9) ? 1 + random.next(3) : 0
            // As sent they stand in any order, those that are too old among them.
            var indexes = Array(0..<(range.count + old))
            if random.oneIn(3) { random.shuffle(&indexes) }
            for (event, index) in zip(range, indexes) {
                events[event].batch = batches.count
                events[event].index = index
            }
            tooOld.append(Array(indexes.dropFirst(range.count)))
            sequence += random.pick([1, 1, 1, 1, 1, 2, 5, 10_000, 10_001, 20_000])
            batches.append(
                ToldBatch(
                    id:
                        "\(random.pick(["a", "B", "z.", "0-"]))\(number)-\(random.next(1000))-\(batches.count)",
                    resource: resource, sequence: sequence,
                    dropped: random.oneIn(5) ? Int64(random.next(9)) : 0, rejected: Int64(old),
                    accepted: Int64(range.count), repeats: random.oneIn(6) ? 1 + random.next(2) : 0,
                    isCorrected: isVague && random.oneIn(2), posted: 0))
            if !range.isEmpty { start = end }
        }
        // Neighbours that a client never mixes, a server must all the same.
        for index in events.indices.dropFirst() where !isVague && random.oneIn(5) {
            swap(&events, index - 1, index)
        }
        return SentDevice(
            id: isShared ? "unknown" : "device-\(number)",
            told: ToldDevice(isShared: isShared, batches: batches, events: events), tooOld: tooOld)
    }

    private func swap(_ events: inout [ToldEvent], _ a: Int, _ b: Int) {
        let (batch, index) = (events[a].batch, events[a].index)
        (events[a].batch, events[a].index) = (events[b].batch, events[b].index)
        (events[b].batch, events[b].index) = (batch, index)
    }

    private mutating func resource(_ number: Int) -> ToldResource {
        ToldResource(
            osName: random.oneIn(12)
                ? random.pick([nil, "", "webOS"]) : number % 3 == 0 ? "Android" : "iOS",
            osVersion: random.pick(["17.1", "18.0", nil]),
            serviceVersion: random.pick(["5.0.0", "5.1.0", "5.1.0", "4.9", nil]),
            model: random.pick(["iPhone16,2", "Pixel é", nil]),
            sdkName: random.oneIn(5) ? nil : "sojourn-test")
    }

    private mutating func life(isVague: Bool) -> [ToldEvent] {
        var events: [ToldEvent] = []
        var time = period.lowerBound + random.next(in: period.upperBound - period.lowerBound)
        for session in 0..<random.next(12) {
            time += random.next(in: random.pick([3_600_000, 86_400_000, 20 * 86_400_000]))
            // To the edge of a quarter of an hour, and just beside it.
            if random.oneIn(3) { time = time / 900_000 * 900_000 + random.pick([-1, 0, 1]) }
            let id = "s-\(random.oneIn(9) ? max(0, session - 1) : session)"
            for name in script() {
                let gaps: [Int64] =
                    isVague
                    ? [11, 22, 330, 1793, 1804, 3597, 3608, 7700].map { $0 * 1000 }
                    : [
                        0, 0, 0, 1, 7, 999, 20_000, 59_999, 1_799_999, 1_800_000, 1_800_001,
                        3_600_000,
                    ]
                time += random.pick(random.oneIn(3) ? gaps : Array(gaps.prefix(6)))
                if isVague { time = Self.aligned(time) }
                guard time < period.upperBound else { return events }
                events.append(
                    ToldEvent(
                        name: name, time: time,
                        session: random.oneIn(15) && !name.hasPrefix("session.") ? nil : id,
                        attributes: attributes(of: name), batch: 0, index: 0))
            }
        }
        return events
    }

    /// The next moment of the grid that is no edge of a quarter of an hour.
    private static func aligned(_ time: Int64) -> Int64 {
        let moment = (time + grid - 1) / grid * grid
        return (3000...897_000).contains(moment % 900_000) ? moment : moment + grid
    }

    private mutating func script() -> [String] {
        var names = random.oneIn(9) ? [] : ["session.start"]
        for _ in 0..<random.next(20) {
            names.append(
                random.pick([
                    "screen.view", "screen.view", "usage.counter", "content.view",
                    "content.complete",
                    "video.enter_fullscreen", "video.exit_fullscreen", "order.menu",
                    "order.item_added",
                    "order.checkout", "order.purchase", "app.own", "session.end", "session.resume",
                ]))
        }
        if !random.oneIn(3) { names.append("session.end") }
        return names
    }

    private mutating func attributes(of name: String) -> [(key: String, value: Client.Value)] {
        switch name {
        case "screen.view":
            let loads: [Client.Value?] = [
                nil, .integer(Int64(random.next(2000))), .double(Double(random.next(8000)) / 8),
                .double(-0.0), .double(3), .string("7"), .boolean(true), .double(1e12),
                .integer(-5),
            ]
            let screen = random.pick(["menu", "e\u{301}", "\u{e9}", "basket"])
            return [("app.screen.name", .string(screen))]
                + (random.pick(loads).map { [("app.screen.load_ms", $0)] } ?? [])
        case "usage.counter":
            let value: [(key: String, value: Client.Value)] =
                random.oneIn(2) ? [] : [("counter.value", .integer(Int64(1 + random.next(9))))]
            return [("counter.name", .string("tap.\(random.next(4))"))] + value
        case "content.view", "content.complete":
            return [("content.id", .string("c-\(random.next(12))"))]
        case "video.enter_fullscreen", "video.exit_fullscreen":
            return [("video.id", .string("v-\(random.next(3))"))]
        case "order.purchase":
            let items: [Client.Value] = [
                .integer(2), .double(2), .double(2.5), .string("2"), .boolean(false),
            ]
            return [
                ("order.total", .double(Double(random.next(100_000)) / 64)),
                ("order.items", random.pick(items)),
            ]
        default: return []
        }
    }
}

extension SplitMix {
    /// From 0 up to and without `bound`.
    fileprivate mutating func next(in bound: Int64) -> Int64 { Int64(next(Int(bound))) }
}
