import StoreTestSupport
import TestSupport
import Testing

@testable import Query

@Suite("Sets of devices")
struct DeviceSetTests {
    @Test("count each device once", arguments: [10, 3_000, 100_000] as [Int64])
    func counts(spread: Int64) {
        var random = SplitMix(seed: UInt64(spread))
        var set = DeviceSet()
        var rows: Set<Int64> = []
        #expect(set.count == 0)
        for _ in 0..<12_000 {
            let row = Int64.random(in: 65_500...65_500 + spread, using: &random)
            set.insert(row)
            rows.insert(row)
        }
        #expect(set.count == rows.count)
    }

    @Test("find each of many blocks again")
    func blocks() {
        var set = DeviceSet()
        for _ in 0..<3 { for block in 0..<40 as Range<Int64> { set.insert(block << 16 + 7) } }
        #expect(set.count == 40)
        var both = DeviceSet()
        both.insert(39 << 16 + 7)
        both.formUnion(set)
        #expect(both.count == 40)
    }

    @Test("take rows that no device has")
    func strangeRows() {
        var set = DeviceSet()
        for _ in 0..<2 { for row in [Int64.min, -1, 0, 1, .max] { set.insert(row) } }
        #expect(set.count == 5)
    }

    @Test("stand beside each other by group")
    func groups() {
        var groups = DevicesByGroup()
        for (device, group) in [(1, 0), (1, 0), (2, 0), (1, 0), (7, 300)] {
            groups.insert(Int64(device), into: group)
        }
        #expect(groups.counts(of: 2) == [2, 0])
        #expect(groups.counts(of: 1000)[300] == 1)
        #expect(groups.counts(of: 1000).reduce(0, +) == 3)
    }

    @Test("are counted by group whether few or many, wherever they were found")
    func manyGroups() throws {
        var random = SplitMix(seed: 11)
        let memory = ReportMemory(limit: .max)
        do {
            let account = memory.account(of: nil)
            var all = DevicesByGroup(account)
            var wanted: [Int: Set<Int64>] = [:]
            for part in 0..<3 {
                var groups = DevicesByGroup(account)
                for _ in 0..<60_000 {
                    // Groups of one, of a few and of many devices; some with rows that no list takes.
                    let group = Int.random(in: 0..<400, using: &random)
                    let spread = Int64([1, 3, 40, 70, 3000][group % 5])
                    let far: Int64 = group % 7 == 0 ? 1 << 40 : 0
                    let device = far + .random(in: 1...spread, using: &random)
                    groups.insert(device, into: group + part)
                    wanted[(group + part) * 2, default: []].insert(device)
                }
                try all.merge(groups, groups: (0..<1000).map { $0 * 2 })
            }
            let counts = all.counts(of: 1000)
            for group in 0..<1000 { #expect(counts[group] == wanted[group]?.count ?? 0) }
            #expect(account.held > 0)
        }
        #expect(memory.held == 0)
    }

    @Test("have numbers by their rows, however far these lie apart")
    func codes() {
        var random = SplitMix(seed: 5)
        let account = ReportMemory(limit: .max).account(of: nil)
        var codes = RowCodes(account)
        var wanted: [Int64: Int] = [:]
        for _ in 0..<20_000 {
            let row =
                [
                    Int64.random(in: 0...3000, using: &random),
                    .random(in: 40_000_000...40_003_000, using: &random), .min, -1, .max, 1 << 40,
                ].randomElement(using: &random) ?? 0
            let number = wanted[row, default: wanted.count]
            wanted[row] = number
            #expect(codes.code(of: row) == number)
        }
        for (row, number) in wanted {
            #expect(codes.known(row) == number)
            #expect(codes.entry(of: row) == ((0..<1 << 28).contains(row) ? number + 1 : 0))
        }
        for row: Int64 in [1 << 41, 50_000_000, -2, .min + 1, .max - 1] {
            #expect(codes.entry(of: row) == 0)
        }
        #expect(codes.known(12) == wanted[12] && codes.known(1 << 41) == nil)
        #expect(codes.known(50_000_000) == nil)
        // Rows of others before the app's own take next to nothing.
        #expect(account.held < 4 << 20)
    }

    @Test("say of each device on which days it was there", arguments: [1, 63, 64, 65, 400])
    func matrix(days: Int) {
        var random = SplitMix(seed: UInt64(days))
        var matrix = DayMatrix(days: days)
        var wanted: [Int64: Set<Int>] = [:]
        for _ in 0..<6_000 {
            // Beside many that are near each other some that are not.
            let device: Int64 =
                Int.random(in: 0...9, using: &random) == 0
                ? [.min, -1, .max, 1 << 40].randomElement(using: &random) ?? 0
                : .random(in: 0...3_000, using: &random)
            let day = Int.random(in: 0..<days, using: &random)
            matrix.insert(device, day)
            wanted[device, default: []].insert(day)
        }
        #expect(Set(matrix.devices) == Set(wanted.keys))
        #expect(matrix.devices.count == wanted.count)
        for (place, device) in matrix.devices.enumerated() {
            var found: [Int] = []
            matrix.forEachDay(of: place) { found.append($0) }
            #expect(found == wanted[device]?.sorted())
        }
    }

    @Test("know the shared ones, whatever their rows")
    func shared() throws {
        let store = try TestStore()
        for (id, shared) in [(1, 1), (2, 0), (64, 1), (1 << 26, 1), (1 << 62, 1), (1 << 61, 0)] {
            try store.connection.execute(
                "INSERT INTO device (id, app, hash, shared) VALUES (\(id), 7, '\(id)', \(shared))"
                    .replacing("'\(id)'", with: "CAST('\(id)' AS BLOB)"))
        }
        let devices = try SharedDevices(
            of: 7, Reading(store.connection, Interruption()))
        let rows: [Int64] = [1, 2, 63, 64, 65, 1 << 26, 1 << 61, 1 << 62, .max, -1, .min]
        #expect(rows.filter(devices.contains) == [1, 64, 1 << 26, 1 << 62])
    }
}
