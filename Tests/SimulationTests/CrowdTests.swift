import Foundation
import Sealing
import TestSupport
import Testing

@testable import Simulation

@Suite("simulated populations")
struct CrowdTests {
    /// A digest of all that arrives, in the order of devices.
    private func digest(_ population: Population) throws -> String {
        var all: [UInt8] = []
        for arrival in try Crowd(population).arrivals {
            all += arrival.post.stamped(Crowd.now)
            all += "\(arrival.device) \(arrival.isRepeat)\n".utf8
        }
        return Hashing.sha256(all.span).hex
    }

    @Test("the same seed gives the same batches, and another seed others")
    func deterministic() throws {
        let first = try digest(.some(devices: 12))
        #expect(try digest(.some(devices: 12)) == first)
        #expect(try digest(.some(devices: 12, seed: 2)) != first)
        #expect(try digest(.some(devices: 12, until: "2026-11-18")) != first)
        #expect(try digest(.some(devices: 13)) != first)
        #expect(try digest(.some(devices: 12, shares: .many)) != first)
    }

    @Test("what a seed gives does not change between versions, machines and processes")
    func pinned() throws {
        // Changing the simulation on purpose changes this line, and nothing else may.
        let digest = try digest(.some(devices: 12))
        #expect(digest == Self.pinnedDigest)
    }
    private static let pinnedDigest =
        "fc16bd5196e650831316af9a929db33a9758be3c8a3f64f6ee05288476b75b4d"

    @Test("another number of devices leaves each as it is")
    func independent() throws {
        let few = try Crowd(.some(devices: 5)).arrivals.map { $0.post.text }
        let many = try Crowd(.some(devices: 9)).arrivals.filter { $0.device < 5 }
        #expect(many.map { $0.post.text } == few)
    }

    @Test("every batch obeys the contract; where clocks are right its events lie within the period")
    func valid() throws {
        let crowd = try Crowd(.some(devices: 12, days: 14, shares: .none))
        for arrival in crowd.arrivals {
            try #require(abs(arrival.batch.sentAt - Crowd.now) <= 900)
            let isWithin = arrival.batch.events.allSatisfy {
                $0.time >= crowd.population.period.start - 900
                    && $0.time <= crowd.population.period.end + 900
            }
            try #require(isWithin)
        }
        #expect(crowd.arrivals.count > 150)
        #expect(crowd.arrivals.allSatisfy { $0.batch.dropped == 0 })
    }

    @Test("a longer end only adds: what was posted before it stays the same")
    func prefix() throws {
        let now = Crowd.now
        func texts(until end: Int64) throws -> [[UInt8]] {
            let population = try Population(
                devices: 1, period: SimulationPeriod(days: 3, end: end, now: now), seed: 4)
            return try Crowd(population).arrivals.map { $0.post.text }
        }
        let short = try texts(until: now - 3_600_000 * 30)
        let long = try texts(until: now - 3_600_000 * 29)
        #expect(Array(long.prefix(short.count)) == short)
    }

    @Test("an event's text does not depend on the order in which attributes come out of a table")
    func ordered() throws {
        for arrival in try Crowd(.some(devices: 3)).arrivals {
            let text = String(decoding: arrival.post.text, as: UTF8.self)
            for match in text.matches(of: /"session\.id":"[^"]*",("app\.[^}]*)}/) {
                let keys = match.output.1.matches(of: /"([a-z_.]+)":/).map { String($0.output.1) }
                try #require(keys == keys.sorted())
            }
        }
    }

    @Test("a month of 300 devices is a believable population", .tags(.long))
    func believable() throws {
        let crowd = try Crowd(.some(devices: 60, days: 30, until: nil))
        var names: [String: Int] = [:]
        var platforms: [String: Set<Int>] = [:]
        var versions: Set<String> = []
        var days: [Int64: Set<Int>] = [:]
        var late = 0
        for arrival in crowd.arrivals where !arrival.isRepeat {
            let batch = arrival.batch
            for event in batch.events { names[event.name, default: 0] += 1 }
            platforms[batch.resource["os.name"] ?? "", default: []].insert(arrival.device)
            versions.insert(batch.resource["service.version"] ?? "")
            let day = (batch.events.first?.time ?? 0) / SimulationPeriod.day
            days[day, default: []].insert(arrival.device)
        }
        let batches = crowd.arrivals.count
        late = crowd.arrivals.count { $0.isRepeat }
        #expect((1_000...4_000).contains(batches))
        #expect((5...60).contains(names.values.reduce(0, +) / batches))
        #expect((1...batches / 20).contains(late))
        #expect(days.values.count { (8...45).contains($0.count) } >= 30)
        let devices = platforms.values.reduce(0) { $0 + $1.count }
        #expect((50...60).contains(devices))
        #expect((platforms["iOS"]?.count ?? 0) > devices / 4)
        #expect((platforms["Android"]?.count ?? 0) > devices / 4)
        #expect(platforms.count >= 3)
        #expect(versions.count >= 3)
        for name in [
            "session.start", "session.resume", "session.end", "screen.view", "usage.counter",
            "content.view", "content.complete", "video.enter_fullscreen", "video.exit_fullscreen",
            "webview.event", "order.menu", "order.item_added", "order.checkout", "order.purchase",
            "push.received",
        ] {
            #expect((names[name] ?? 0) > 5, "\(name)")
        }
        // The funnel narrows.
        let funnel = ["order.menu", "order.item_added", "order.checkout", "order.purchase"]
            .map { names[$0] ?? 0 }
        #expect(funnel == funnel.sorted(by: >))
        // Not every session's end is told.
        let begun = names["session.start", default: 0] + names["session.resume", default: 0]
        #expect(names["session.end", default: 0] < begun)
    }

    @Test("newcomers arrive over the period, and fewer and fewer of them come back")
    func decay() throws {
        let population = try Population.some(devices: 700, days: 30)
        var days: [Int: Set<Int64>] = [:]
        for number in 0..<population.devices {
            var life = Life(population.traits(of: number), of: population)
            while let actions = life.next() {
                days[number, default: []].insert(actions[0].time / SimulationPeriod.day)
            }
        }
        let first = population.period.firstDay
        let newcomers = days.values.filter { ($0.min() ?? 0) > first + 2 }
        #expect(newcomers.count > 180)
        func share(after age: Int64) -> Int {
            let old = newcomers.filter { ($0.min() ?? 0) + age < first + 30 }
            let back = old.filter { $0.contains(($0.min() ?? 0) + age) }
            return back.count * 100 / max(old.count, 1)
        }
        #expect(share(after: 1) > share(after: 7))
        #expect(share(after: 7) > share(after: 18))
        #expect(share(after: 18) > 5)
    }

    @Test("the generator is xoshiro256** seeded by SplitMix64")
    func generator() {
        // Of the authors' C programs for the seed 0, and SplitMix64's well-known first output.
        var random = SeededRandom(seed: 0)
        let words = (0..<3).map { _ in random.next() }
        #expect(words == [0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0])
    }
}
