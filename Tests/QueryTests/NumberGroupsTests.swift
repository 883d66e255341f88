import Database
import Testing

@testable import Query

@Suite("Numbers by group")
struct NumberGroupsTests {
    private static func all(_ groups: NumberGroups, of group: Int) -> [Double: Int] {
        var counts: [Double: Int] = [:]
        groups.forEach(of: group) { counts[$0, default: 0] += Int($1) }
        return counts
    }

    @Test("each comes as often as it was added, whatever was merged in between", arguments: 0..<20)
    func merging(seed: Int) throws {
        var random = SystemRandomNumberGenerator()
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
        both.merge(parts[2], groups: Array(0..<40))
        var merged = NumberGroups(account)
        for part in [parts[0], both] { merged.merge(part, groups: (0..<40).map { 39 - $0 }) }
        for group in 0..<40 { #expect(Self.all(merged, of: group) == wanted[group]) }
        #expect(Self.all(merged, of: 99) == [:])
        #expect(account.held > 0)
    }

    @Test("what it holds is given back with it")
    func held() {
        let account = ReportAccount.unbounded
        do {
            var groups = NumberGroups(account)
            for number in 0..<100_000 { groups.add(Double(number), to: number % 3) }
            var other = NumberGroups(account)
            other.merge(groups, groups: [2, 1, 0])
            // Eight bytes each, and some pages that are not full.
            #expect((800_000..<1_200_000).contains(account.held))
        }
        #expect(account.held == 0)
    }

    @Test("nearest ranks are those of the sorted numbers", arguments: 0..<30)
    func ranks(seed: Int) throws {
        var random = SystemRandomNumberGenerator()
        let connection = try Connection(path: ":memory:", mode: .memory)
        let reading = Reading(connection, Interruption())
        var groups = NumberGroups()
        var sorted: [Double] = []
        let count = Int.random(in: 1...(seed < 20 ? 2000 : 400_000), using: &random)
        for _ in 0..<count {
            let number: Double =
                switch seed % 4 {
                // Few that come often, neighbours, a crowd beside a far one, and any.
                case 0: Double(Int.random(in: -3...3, using: &random))
                case 1: 1 + Double.ulpOfOne * Double(Int.random(in: 0...9, using: &random))
                case 2: sorted.isEmpty ? -1e300 : Double.random(in: 1...2, using: &random)
                default: Double.random(in: -1e9...1e9, using: &random)
                }
            sorted.append(number)
            groups.add(number, to: 5)
        }
        sorted.sort()
        let wanted = [1, (count + 1) / 2, (9 * count + 9) / 10, count]
        let found = try NumberRanks(groups, of: 5, reading).numbers(
            at: wanted, in: sorted[0]...sorted[count - 1])
        #expect(found == wanted.map { sorted[$0 - 1] })
    }
}
