import Events
import StoreTestSupport

@testable import Storage

/// Random batches of a few devices around a limit, and what a prune leaves of them by brute force:
/// nothing here knows the database.
struct PrunePopulation {
    struct Event: Hashable {
        var device: Int
        var batch: String
        var index: Int
        var time: Int64
        var name: String
        var session: String?
        var content: String?

        var row: String { "\(device)|\(batch)|\(index)" }
        /// Docs/reports.md, Sessions: kind within a millisecond.
        var kind: Int64 {
            ["session.start": 0, "session.end": 2, "session.resume": 3][name] ?? 1
        }
    }

    static let names = [
        "session.start", "session.end", "session.resume", "screen.view", "content.complete",
        "content.complete", "app.own",
    ]
    static let timeout: Int64 = 1_800_000

    private var random: Numbers
    private var number = 0
    /// By batch, in the order in which they were made.
    private(set) var batches: [(device: Int, id: String, events: [Event])] = []

    init(seed: UInt64) { random = Numbers(seed: seed) }

    /// Batches whose events lie within a few hours of `moment`, none before `floor`.
    mutating func make(_ count: Int, around moment: Int64, floor: Int64) -> [AcceptedBatch] {
        (0..<count).map { _ in
            number += 1
            // Ids in an order that is not that of coming.
            let id = "b\(random.next(1000))-\(number)"
            let device = 1 + random.next(5)
            let start = moment + Int64(random.next(12) - 6) * 1_800_000
            let events = (0..<random.next(7)).map { index in
                let name = random.pick(Self.names)
                let hasSession = name.hasPrefix("session.") || random.next(3) > 0
                return Event(
                    device: device, batch: id, index: index * 2,
                    time: max(floor, start + Int64(random.next(5)) * 600_000), name: name,
                    session: hasSession ? "s\(random.next(12))" : nil,
                    content: name == "content.complete" ? "c\"\(random.next(3))" : nil)
            }
            batches.append((device, id, events))
            return Self.batch(device, id, events)
        }
    }

    static func batch(_ device: Int, _ id: String, _ events: [Event]) -> AcceptedBatch {
        var batch = Batches.make(id, device: device, times: events.map(\.time))
        var sessions: [String] = []
        batch.names = []
        batch.text = []
        batch.resource.serviceVersion = id.hasSuffix("1") ? "1" : "2"
        func place(_ text: String, in list: inout [String]) -> Int {
            if let place = list.firstIndex(of: text) { return place }
            list.append(text)
            return list.count - 1
        }
        for (at, event) in events.enumerated() {
            batch.events[at].index = UInt16(event.index)
            batch.events[at].name = UInt32(place(event.name, in: &batch.names))
            batch.events[at].session =
                event.session.map { Int32(place($0, in: &sessions)) } ?? -1
            let begin = UInt32(batch.text.count)
            if let content = event.content {
                batch.text += Array(#"1,2.5,0,"\#(content.replacing("\"", with: "\\\""))""#.utf8)
            }
            batch.events[at].attributes = begin..<UInt32(batch.text.count)
        }
        batch.sessionsJSON =
            sessions.isEmpty
            ? nil : Array("[\(sessions.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
        batch.attributeKeys = ["content.id", "x"]
        return batch
    }

    /// Whether a prune deletes an event, among those that are there.
    static func doomed(_ events: Set<Event>, limit: Int64, now: Int64) -> Set<Event> {
        let sessions = Dictionary(grouping: events.filter { $0.session != nil }) {
            "\($0.device) \($0.session ?? "")"
        }
        var doomed = events.filter { $0.session == nil && $0.time < limit }
        for group in sessions.values {
            guard let last = group.map(\.time).max() else { continue }
            // Docs/reports.md, Sessions: in the background from an end until the next start or resume.
            let telling = group.filter { $0.kind != 1 }.map { ($0.time, $0.kind) }.max { $0 < $1 }
            let isOpen = telling?.1 != 2 && now - last < timeout
            if last < limit, !isOpen { doomed.formUnion(group) }
        }
        return doomed
    }

    /// The first completions among events: `device|content|time|batch|index`, sorted.
    static func completions(_ events: Set<Event>) -> [String] {
        let all = Dictionary(grouping: events.filter { $0.name == "content.complete" }) {
            "\($0.device)|\($0.content ?? "")"
        }
        return all.compactMap { key, group in
            group.min { ($0.time, $0.batch, $0.index) < ($1.time, $1.batch, $1.index) }
                .map { "\(key)|\($0.time)|\($0.batch)|\($0.index)" }
        }.sorted()
    }

    /// Numbers that follow from a seed.
    struct Numbers {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        mutating func pick<T>(_ choices: [T]) -> T { choices[next(choices.count)] }
    }
}
