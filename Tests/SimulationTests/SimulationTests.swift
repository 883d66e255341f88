import Foundation
import Sealing
import Testing

@testable import Simulation

@Suite("simulated populations")
struct SimulationTests {
    /// 2026-11-21T12:00:00Z.
    private static let now: Int64 = 1_795_262_400_000

    private func population(
        devices: Int = 40, days: Int = 8, until: String? = "2026-11-19", seed: UInt64 = 1
    ) throws -> Population {
        try Population(
            devices: devices, period: SimulationPeriod(days: days, until: until, now: Self.now),
            seed: seed)
    }

    /// A digest of all texts in the order in which they come.
    private func digest(_ batches: SimulatedBatches) -> String {
        var all: [UInt8] = []
        for batch in batches {
            all += batch.text
            all += "\(batch.device) \(batch.delivery) \(batch.isRepeat)\n".utf8
        }
        return Hashing.sha256(all.span).hex
    }

    @Test("the same seed gives the same texts, and another seed others")
    func deterministic() throws {
        let first = digest(try population().batches())
        #expect(digest(try population().batches()) == first)
        #expect(digest(try population(seed: 2).batches()) != first)
        #expect(digest(try population(until: "2026-11-18").batches()) != first)
        #expect(digest(try population(devices: 61).batches()) != first)
    }

    @Test("what a seed gives does not change between versions, machines and processes")
    func pinned() throws {
        // Changing the simulation on purpose changes this line, and nothing else may.
        #expect(digest(try population().batches()) == Self.pinnedDigest)
    }
    private static let pinnedDigest =
        "4c06168fff6c13f65f155a7cbd405867a884958ae790aaf4c25f747da1c538b1"

    @Test("load times are drawn by themselves: without them every text is as it was before them")
    func loadTimesAside() throws {
        var all: [UInt8] = []
        for batch in try population().batches() {
            let text = String(decoding: batch.text, as: UTF8.self)
            all += text.replacing(/,"app\.screen\.load_ms":[1-9][0-9]*\.[0-9]/, with: "").utf8
            all += "\(batch.device) \(batch.delivery) \(batch.isRepeat)\n".utf8
        }
        #expect(Hashing.sha256(all.span).hex == Self.digestWithoutLoadTimes)
    }
    private static let digestWithoutLoadTimes =
        "44bf28daf8ce2c3220cc0007b15633e1260d4a89e9d055fba7246bcd968cd0d4"

    @Test("every screen says how long it took: a long tail, by screen, system and release")
    func loadTimes() throws {
        var all: [Double] = []
        var screens: [String: [Double]] = [:]
        var systems: [String: [Double]] = [:]
        var releases: [String: [Double]] = [:]
        for batch in try population(devices: 50, days: 32).batches() where !batch.isRepeat {
            let read = try BatchChecker.check(batch.stamped(Self.now))
            for event in read.events {
                let load = event.attributes["app.screen.load_ms"]
                guard event.name == "screen.view" else {
                    try #require(load == nil)
                    continue
                }
                let time = try #require(load as? NSNumber).doubleValue
                all.append(time)
                let screen = try #require(event.attributes["app.screen.name"] as? String)
                screens[screen, default: []].append(time)
                systems[read.resource["os.name"] ?? "", default: []].append(time)
                releases[read.resource["service.version"] ?? "", default: []].append(time)
            }
        }
        func rank(_ percent: Int, _ times: [Double]?) -> Double {
            guard let times, !times.isEmpty else { return .nan }
            return times.sorted()[(times.count * percent + 99) / 100 - 1]
        }
        let median = rank(50, all)
        #expect((100...500).contains(median))
        #expect((2 * median...4 * median).contains(rank(95, all)))
        #expect((3 * median...8 * median).contains(rank(99, all)))
        #expect((8 * median...60_000).contains(rank(100, all)))
        #expect(rank(50, screens["stores"]) > 3 * rank(50, screens["profile"]))
        #expect(rank(50, systems["Android"]) > 1.3 * rank(50, systems["iOS"]))
        // The release of the period's beginning is slow, those before and after it are not.
        let (before, slow, after) = (releases["5.4.0"], releases["5.5.0"], releases["5.6.0"])
        #expect(rank(50, slow) > 1.4 * rank(50, before))
        #expect(rank(50, slow) > 1.4 * rank(50, after))
    }

    @Test("the generator is xoshiro256** seeded by SplitMix64")
    func generator() {
        // Of the authors' C programs for the seed 0, and SplitMix64's well-known first output.
        var random = SeededRandom(seed: 0)
        let words = (0..<3).map { _ in random.next() }
        #expect(words == [0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0])
    }

    @Test("every batch obeys the contract, and its events lie within the period")
    func valid() throws {
        for seed in [1, 2] as [UInt64] {
            let population = try population(devices: 30, days: 30, seed: seed)
            for batch in population.batches() {
                let read = try BatchChecker.check(batch.stamped(Self.now))
                let isSame =
                    read.id == batch.batchID && read.sentAt == Self.now
                    && read.sequence == batch.sequence && read.events.count == batch.eventCount
                try #require(isSame)
                let isWithin =
                    batch.delivery < population.period.end
                    && read.events.allSatisfy {
                        $0.time >= population.period.start && $0.time <= batch.delivery
                    }
                try #require(isWithin)
            }
        }
    }

    @Test("a device's batches come in the order of its sequence, each by its delivery")
    func ordered() throws {
        var last: [Int: Int64] = [:]
        var delivered: Int64 = 0
        for batch in try population(days: 30).batches() {
            try #require(batch.delivery >= delivered)
            delivered = batch.delivery
            if let before = last[batch.device] {
                try #require(batch.isRepeat ? batch.sequence == before : batch.sequence > before)
            }
            last[batch.device] = batch.sequence
        }
        #expect(last.count > 30)
    }

    @Test("lanes together are the whole, and each device is in one", arguments: [2, 3, 100])
    func lanes(count: Int) throws {
        let population = try population()
        let whole = population.batches().map { "\($0.device) \($0.sequence) \($0.text.count)" }
        var parts: [String] = []
        for lane in 0..<count {
            for batch in population.batches(lane: lane, of: count) {
                try #require(batch.device % count == lane)
                parts.append("\(batch.device) \(batch.sequence) \(batch.text.count)")
            }
        }
        #expect(parts.sorted() == whole.sorted())
        #expect(population.count() == whole.count)
    }

    @Test("shuffled are the same batches in another order, the same for the same seed")
    func shuffled() throws {
        let population = try population()
        func texts(_ order: Population.Order) -> [[UInt8]] {
            population.batches(order: order).map(\.text)
        }
        let ordered = texts(.delivery)
        let shuffled = texts(.shuffled(seed: 5))
        #expect(shuffled != ordered)
        #expect(shuffled == texts(.shuffled(seed: 5)))
        #expect(shuffled != texts(.shuffled(seed: 6)))
        func sorted(_ texts: [[UInt8]]) -> [[UInt8]] {
            texts.sorted { $0.lexicographicallyPrecedes($1) }
        }
        #expect(sorted(shuffled) == sorted(ordered))
    }

    @Test("a longer end only adds: what was posted before it stays the same")
    func prefix() throws {
        let noon = try Population(
            devices: 50, period: SimulationPeriod(days: 3, end: Self.now, now: Self.now), seed: 4)
        let later = Self.now + 3_600_000
        let one = try Population(
            devices: 50, period: SimulationPeriod(days: 3, end: later, now: later), seed: 4)
        let short = noon.batches().map(\.text)
        let long = one.batches().map(\.text)
        #expect(long.count > short.count)
        #expect(Array(long.prefix(short.count)) == short)
    }

    @Test("only a repeat has the id and the bytes of another batch")
    func identities() throws {
        var seen: [String: [UInt8]] = [:]
        for batch in try population(days: 30).batches() {
            if batch.isRepeat {
                try #require(seen[batch.batchID] == batch.text)
            } else {
                try #require(seen[batch.batchID] == nil)
            }
            seen[batch.batchID] = batch.text
        }
    }

    @Test("a month of 300 devices is a believable population")
    func believable() throws {
        let population = try population(devices: 300, days: 30, until: nil)
        #expect((5_000...15_000).contains(population.count()))
        var batches = 0
        var events = 0
        var repeats = 0
        var late = 0
        var dropped: Int64 = 0
        var names: [String: Int] = [:]
        var platforms: [String: Set<String>] = [:]
        var versions: [String: Set<Int64>] = [:]
        var days: [Int64: Set<String>] = [:]
        // Every third device is enough to know them by.
        for batch in population.batches(lane: 0, of: 3) {
            let read = try BatchChecker.check(batch.stamped(Self.now))
            batches += 1
            repeats += batch.isRepeat ? 1 : 0
            dropped += read.dropped
            events += read.events.count
            if batch.delivery - (read.events.last?.time ?? 0) > 600_000 { late += 1 }
            for event in read.events { names[event.name, default: 0] += 1 }
            platforms[read.resource["os.name"] ?? "", default: []].insert(read.device)
            let day = batch.delivery / SimulationPeriod.day
            versions[read.resource["service.version"] ?? "", default: []].insert(day)
            days[day, default: []].insert(read.device)
        }
        #expect((8...60).contains(events / batches))
        #expect((1...batches / 50).contains(repeats))
        #expect((batches / 100...batches / 10).contains(late))
        #expect(dropped > 0)
        #expect(days.count == 30)
        #expect(days.values.allSatisfy { (15...80).contains($0.count) })
        let devices = platforms.values.reduce(0) { $0 + $1.count }
        #expect((90...100).contains(devices))
        #expect((platforms["iOS"]?.count ?? 0) > devices / 3)
        #expect((platforms["Android"]?.count ?? 0) > devices / 3)
        #expect(platforms.count >= 3)
        #expect(versions.count >= 3)
        for name in [
            "session.start", "session.resume", "session.end", "screen.view", "usage.counter",
            "content.view", "content.complete", "video.enter_fullscreen", "video.exit_fullscreen",
            "webview.event", "order.menu", "order.item_added", "order.checkout", "order.purchase",
        ] {
            #expect((names[name] ?? 0) > 5, "\(name)")
        }
        // The funnel narrows.
        let funnel = ["order.menu", "order.item_added", "order.checkout", "order.purchase"]
            .map { names[$0] ?? 0 }
        #expect(funnel == funnel.sorted(by: >))
        // Not every session's end is told, and some are told by a later batch.
        let begun = names["session.start", default: 0] + names["session.resume", default: 0]
        #expect(names["session.end", default: 0] < begun)
    }

    @Test("newcomers arrive over the period, and fewer and fewer of them come back")
    func decay() throws {
        let population = try population(devices: 1_500, days: 30)
        var days: [Int: Set<Int64>] = [:]
        var plans = BatchPlans(population, lane: 0, lanes: 1)
        while let plan = plans.next() {
            days[plan.device, default: []].insert(plan.delivery / SimulationPeriod.day)
        }
        let first = population.period.firstDay
        let newcomers = days.values.filter { ($0.min() ?? 0) > first + 2 }
        #expect(newcomers.count > 400)
        func share(after age: Int64) -> Int {
            let old = newcomers.filter { ($0.min() ?? 0) + age < first + 30 }
            let back = old.filter { $0.contains(($0.min() ?? 0) + age) }
            return back.count * 100 / max(old.count, 1)
        }
        #expect(share(after: 1) > share(after: 7))
        #expect(share(after: 7) > share(after: 18))
        #expect(share(after: 18) > 5)
    }
}
