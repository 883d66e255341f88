import Database
import StoreTestSupport
import TestSupport
import Testing
import TimeZones

@testable import Query

@Suite("Numbers by group")
struct NumberGroupsTests {
    private static func reading() throws -> Reading {
        Reading(try Connection(path: ":memory:", mode: .memory), Interruption())
    }

    private static func all(_ groups: NumberGroups, of group: Int) throws -> [Double: Int] {
        var counts: [Double: Int] = [:]
        try groups.forEach(of: group, reading()) { counts[$0, default: 0] += Int($1) }
        return counts
    }

    @Test("each comes as often as it was added, whatever was merged in between", arguments: 0..<20)
    func merging(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        let account = ReportAccount.unbounded
        var wanted = [[Double: Int]](repeating: [:], count: 40)
        var parts: [NumberGroups] = []
        for _ in 0..<3 {
            var groups = NumberGroups(account)
            for _ in 0..<Int.random(in: 0...30_000, using: &random) {
                // Many groups have few, some many.
                let group = min(
                    Int.random(in: 0..<40, using: &random), Int.random(in: 0..<40, using: &random))
                let number = Double(Int.random(in: -50...50, using: &random)) / 8
                let count = UInt32.random(in: 1...5, using: &random)
                groups.add(number, times: count, to: group)
                wanted[39 - group][number, default: 0] += Int(count)
            }
            parts.append(groups)
        }
        var both = parts[1]
        try both.merge(parts[2], groups: Array(0..<40))
        var merged = NumberGroups(account)
        for part in [parts[0], both] { try merged.merge(part, groups: (0..<40).map { 39 - $0 }) }
        for group in 0..<40 { #expect(try Self.all(merged, of: group) == wanted[group]) }
        #expect(try Self.all(merged, of: 99) == [:])
        #expect(account.held > 0)
    }

    @Test("what it holds is given back with it")
    func held() throws {
        let account = ReportAccount.unbounded
        do {
            var groups = NumberGroups(account)
            for number in 0..<100_000 { groups.add(Double(number), to: number % 3) }
            var other = NumberGroups(account)
            try other.merge(groups, groups: [2, 1, 0])
            // Eight bytes each, and some pages that are not full.
            #expect((800_000..<1_200_000).contains(account.held))
        }
        #expect(account.held == 0)
    }

    @Test("nearest ranks are those of the sorted numbers", arguments: 0..<30)
    func ranks(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        var groups = NumberGroups()
        var sorted: [Double] = []
        for _ in 0..<Int.random(in: 1...(seed < 20 ? 2000 : 200_000), using: &random) {
            let number: Double =
                switch seed % 4 {
                // Few that come often, neighbours, a crowd beside a far one, and any.
                case 0: Double(Int.random(in: -3...3, using: &random))
                case 1: 1 + Double.ulpOfOne * Double(Int.random(in: 0...9, using: &random))
                case 2: sorted.isEmpty ? -1e300 : Double.random(in: 1...2, using: &random)
                default: Double.random(in: -1e9...1e9, using: &random)
                }
            let times = Int.random(in: 1...4, using: &random)
            sorted += repeatElement(number, count: times)
            groups.add(number, times: UInt32(times), to: 5)
        }
        sorted.sort()
        let count = sorted.count
        let wanted = [1, (count + 1) / 2, (9 * count + 9) / 10, count]
        let found = try NumberRanks(groups, of: 5, Self.reading()).numbers(
            at: wanted, in: sorted[0]...sorted[count - 1], of: count)
        #expect(found == wanted.map { sorted[$0 - 1] })
    }

    @Test(
        "numbers that all threads go through give the same as those of one", arguments: [1, 2, 4])
    func threads(count: Int) throws {
        var random = SplitMix(seed: UInt64(count))
        let store = try TestStore(
            (0..<400).map { batch in
                SentBatch(
                    device: "d\(batch % 9)", id: "\(batch)",
                    events: (0..<20).map { place in
                        let number = random.pick(["1", "-2.5", "1e+100", "-1e+100", "5e-324"])
                        return SentEvent(
                            "p", noon + Int64(batch * 20 + place), nil,
                            [("n", number), ("k", random.pick(["1", "2"]))])
                    })
            })
        try store.pack(limit: 300)
        func spreads(_ threads: Int, large: Int) throws -> NumberSpreads {
            let reading = Reading(
                store.connection, Interruption(), ReportEnvironment(threads: threads))
            var query = try NumbersQuery(
                store.scope("2026-03-28", "2026-03-28"), ByteText("p"), ByteText("n"),
                .attribute(ByteText("k")), nil, reading)
            query.largeCount = large
            return try query.run(percents: [50, 99], limit: 10)
        }
        let one = try spreads(1, large: .max)
        #expect(one.spreads.count == 2 && one.spreads.allSatisfy { $0.count > 3000 })
        for _ in 0..<5 {
            let many = try spreads(count, large: 0)
            #expect(many.spreads == one.spreads && many.withoutNumber == one.withoutNumber)
        }
    }
}
