import Database
import Storage
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Query

@Suite("What threads find of devices")
struct DeviceShardsTests {
    private struct Item: DeviceKeyed, Equatable {
        let device: Int64
        let number: Int
    }

    /// Devices with all that was found of them.
    private struct Found: ReportShare {
        var all: [[Item]] = []

        mutating func merge(_ other: Found) { all += other.all }
    }

    private func collected(_ items: [[Item]], threads: Int) throws -> [[Item]] {
        var shards = DeviceShards<Item>()
        for found in items {
            var other = DeviceShards<Item>()
            for item in found { other.append(item) }
            shards.merge(other)
        }
        let pauses = Atomic(0)
        let pace = ReportPace {
            pauses.add(1, ordering: .relaxed)
            return false
        }
        let reading = Reading(
            try TestStore().connection, Interruption(),
            ReportEnvironment(threads: threads, pace: pace))
        let found = try shards.collect(Found(), reading, by: { $0.number < $1.number }) {
            $0.all.append(Array($1))
        }
        #expect(pauses.load(ordering: .relaxed) == 32)
        return found.all.sorted { $0[0].device < $1[0].device }
    }

    @Test("each device comes once, with all of it, in order", arguments: [1, 2, 4])
    func whole(threads: Int) throws {
        var random = SplitMix(seed: UInt64(threads))
        // Near ones of which many share a shard, and some that are far away.
        let devices = (1...300).map(Int64.init) + [0, -1, -33, .min, .max, 1 << 40]
        let items = (0..<3).map { finder in
            (0..<2000).map { place in
                Item(device: devices[random.next(devices.count)], number: place * 3 + finder)
            }
        }
        let expected = Dictionary(grouping: items.joined(), by: \.device).values
            .map { $0.sorted { $0.number < $1.number } }
            .sorted { $0[0].device < $1[0].device }
        #expect(try collected(items, threads: threads) == expected)
        #expect(try collected([], threads: threads) == [])
    }

    @Test("what follows something that it is covered by is left out")
    func thin() throws {
        var shards = DeviceShards<Item>()
        for number in [3, 1, 2, 1, 5, 4] {
            for device in [7, 39, -1] as [Int64] {
                shards.append(Item(device: device, number: number))
            }
        }
        // Of another thread: these stay.
        var other = DeviceShards<Item>()
        other.append(Item(device: 7, number: 1))
        shards.merge(other)
        try shards.thin(
            by: { $0.number < $1.number }, where: { $0.number / 2 >= $1.number / 2 }, {})
        #expect(shards.count == 10)
        let found = try shards.collect(
            Found(), Reading(try TestStore().connection, Interruption()),
            by: { $0.number < $1.number }
        ) { $0.all.append(Array($1)) }
        let numbers = found.all.map { ($0[0].device, $0.map(\.number)) }.sorted { $0.0 < $1.0 }
        #expect(numbers.map(\.0) == [-1, 7, 39])
        #expect(numbers.map(\.1) == [[1, 2, 4], [1, 1, 2, 4], [1, 2, 4]])
    }

    @Test("what others found is translated by each merge on its way")
    func translated() throws {
        var found = DeviceShards<Item>()
        for number in 1...3 {
            var shards = DeviceShards<Item>()
            shards.append(Item(device: 1, number: number))
            shards.merge(found, holding: 0) { Item(device: $0.device, number: $0.number * 10) }
            found = shards
        }
        let all = try found.collect(
            Found(), Reading(try TestStore().connection, Interruption()),
            by: { $0.number < $1.number }
        ) { $0.all.append(Array($1)) }
        #expect(all.all.map { $0.map(\.number) } == [[3, 20, 100]])
    }

    @Test("what is to end does not go on with the next devices")
    func ends() throws {
        let interruption = Interruption()
        let reading = Reading(
            try TestStore().connection, interruption, ReportEnvironment(threads: 1))
        var shards = DeviceShards<Item>()
        for device in 0..<100 { shards.append(Item(device: Int64(device), number: 0)) }
        interruption.raise()
        let error = #expect(throws: StorageError.self) {
            try shards.collect(Found(), reading, by: { $0.number < $1.number }) {
                $0.all.append(Array($1))
            }
        }
        #expect(error?.isInterruption == true)
    }
}
