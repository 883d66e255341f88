import Database
import Storage
import StoreTestSupport
import TestSupport
import Testing

@testable import Query

@Suite("Devices in shards")
struct ShardedDevicesTests {
    private struct Item: DeviceKeyed {
        let device: Int64
        let number: Int
    }

    /// What came of each device, by its row in the shard.
    private struct Shard: DeviceShard {
        private(set) var numbers: [Int64: [Int]] = [:]
        /// Devices in the order in which they came, and each one's place there.
        private var devices: [Int64] = []
        private var entries: [Int64: Int] = [:]

        mutating func add(_ item: Item, row: Int64) {
            if numbers[row, default: []].isEmpty {
                devices.append(item.device)
                entries[row] = devices.count
            }
            numbers[row, default: []].append(item.number)
        }

        func entry(of row: Int64) -> Int { entries[row] ?? 0 }

        func look(at item: Item, _ number: Int) -> Int64 {
            #expect(devices[number] == item.device)
            return 0
        }
    }

    @Test("hold all items of each device together, in the order of a thread", arguments: 0..<4)
    func together(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let store = try TestStore()
        let reading = Reading(store.connection, Interruption())
        let devices = ShardedDevices(Shard())
        var wanted: [Int64: [Int]] = [:]
        var writer = devices.writer(reading.account)
        for number in 0..<50_000 {
            let device: Int64 =
                [
                    .random(in: 0...2_000, using: &random), .min, .max, -1, 1 << 40, 127, 128, 129,
                ].randomElement(using: &random) ?? 0
            wanted[device, default: []].append(number)
            writer.add(Item(device: device, number: number))
        }
        writer.finish()
        let none = Concatenated<[Int]>(reading.account)
        let found = try devices.collect(none, reading) { found, shard in
            for numbers in shard.numbers.values { found.append(numbers) }
        }.all
        #expect(Set(found) == Set(wanted.values) && found.count == wanted.count)
        let again = try devices.collect(none, reading) { found, shard in
            for numbers in shard.numbers.values { found.append(numbers) }
        }.all
        #expect(again.isEmpty)
    }

    @Test("give back the memory of what waited")
    func memory() throws {
        let account = ReportAccount.unbounded
        let devices = ShardedDevices(Shard())
        var writer = devices.writer(account)
        for device: Int64 in 0..<100_000 { writer.add(Item(device: device, number: 0)) }
        #expect(account.held > 0 && account.held < 1 << 20)
        writer.finish()
        #expect(account.held == 0)
    }
}
