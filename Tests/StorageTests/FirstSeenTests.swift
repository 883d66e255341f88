import Events
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage

@Suite("first seen is a minimum, in any order (docs/reports.md, Sessions)")
struct FirstSeenTests {
    /// Id, times, version of the app. The least is the event of "a" at noon: index 1.
    static let batches: [(String, [Int64], String)] = [
        ("b", [Batches.noon], "1"), ("a", [Batches.noon + 1, Batches.noon, Batches.noon], "2"),
        ("c", [Batches.noon + 9, Batches.noon + 8], "3"), ("0", [], "4"),
    ]

    static let orders: [[Int]] = permutations([0, 1, 2, 3])

    static func permutations(_ items: [Int]) -> [[Int]] {
        if items.count < 2 { return [items] }
        return items.indices.flatMap { place in
            var rest = items
            let item = rest.remove(at: place)
            return permutations(rest).map { [item] + $0 }
        }
    }

    private static let query = """
        SELECT first_time, first_batch_id, first_index, service_version
        FROM device JOIN resource ON resource.id = first_resource
        """

    @Test("one by one, together, and after a restart", arguments: orders)
    func order(_ order: [Int]) throws {
        let wanted = ["\(Batches.noon)|a|1|2"]
        for together in [true, false] {
            let folder = TemporaryFolder()
            let store = try Store.open(folder.options)
            _ = try store.registry.addApp("shop")
            let batches = order.map { place in
                let (id, times, version) = Self.batches[place]
                return Batches.make(id, times: times, version: version)
            }
            if together {
                _ = store.writer.storeTogether(batches)
            } else {
                for batch in batches {
                    // Nothing is remembered, as after a restart.
                    try store.writer.perform { (connection) throws(StorageError) in
                        try connection.execute("UPDATE app SET title = title || '.'")
                    }
                    _ = store.writer.storeAlone(batch)
                }
            }
            #expect(try store.reader().rows(Self.query) == wanted)
        }
    }

    @Test("a device without accepted events has no first")
    func none() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        _ = store.writer.storeAlone(Batches.make("a", times: []))
        #expect(
            try store.reader().rows("SELECT first_time, first_batch_id, first_resource FROM device")
                == ["||"])
    }

    @Test("being shared stays", arguments: [[true, false], [false, true], [false, true, false]])
    func shared(_ flags: [Bool]) throws {
        for together in [true, false] {
            let folder = TemporaryFolder()
            let store = try Store.open(folder.options)
            let batches = flags.enumerated().map {
                Batches.make("b-\($0.offset)", shared: $0.element)
            }
            if together {
                _ = store.writer.storeTogether(batches)
            } else {
                for batch in batches { _ = store.writer.storeAlone(batch) }
            }
            #expect(try store.reader().rows("SELECT shared FROM device") == ["1"])
        }
    }
}
