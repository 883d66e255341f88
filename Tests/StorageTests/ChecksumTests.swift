import Events
import Foundation
import StoreTestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("checksums")
struct ChecksumTests {
    @Test("the writer's checksum of a batch is that of its rows, for batches of every shape")
    func agreement() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        let app = try store.registry.addApp("shop").id
        let key = try store.registry.addKey(
            app: "shop", profile: .aes128gcm, algorithm: nil,
            secret: [UInt8](repeating: 1, count: 32)
        ).id
        var odd = Batches.make("odd", app: app, times: (0..<120).map { Batches.noon - $0 })
        odd.key = key
        odd.sequence = 0
        odd.rejected = 3
        odd.rejectionCounts = [
            RejectionCount(code: "time-invalid", count: 2, firstIndex: 130),
            RejectionCount(code: "invalid-name", count: 1, firstIndex: 129),
        ]
        odd.events[7].session = -1
        odd.events[8].attributes = 0..<0
        let batches = [
            odd, Batches.make("empty", app: app, times: []), Batches.make("one", app: app),
            Batches.make("ø/ß", app: app, device: 2, shared: true),
        ]
        for batch in batches { #expect(store.writer.storeAlone(batch) == .stored) }
        let content = try StoredContent(try store.reader())
        for number in 1...4 {
            let found = try #require(try content.read(Int64(number)))
            #expect(found.checksum == found.actual, "batch \(number)")
        }
        #expect(Set(try store.reader().rows("SELECT checksum FROM batch")).count == 4)
    }

    /// It must never change: every stored checksum would be wrong.
    @Test("the form of a batch's checksum is what it was")
    func form() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        #expect(store.writer.storeAlone(Batches.make("one", times: [Batches.noon, 5])) == .stored)
        let found = try ["batch", "app", "device"].flatMap {
            try store.reader().rows("SELECT checksum FROM \($0)")
        }
        #expect(
            found == ["2444735826822245086", "-3652043209820763258", "-2531624693956111638"])
    }

    @Test("refresh brings a batch in line with the events it has left")
    func refresh() throws {
        let folder = TemporaryFolder()
        let store = try Store.open(folder.options)
        _ = try store.registry.addApp("shop")
        let times = [Batches.noon + 5, Batches.noon, Batches.noon + 9]
        #expect(store.writer.storeAlone(Batches.make("one", times: times)) == .stored)
        func left(deleting condition: String) throws -> [String] {
            try store.writer.perform { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try connection.execute("DELETE FROM event WHERE \(condition)")
                    try BatchChecksum(connection).refresh(batch: 1)
                    // As the end of a prune does.
                    for table in ["app_name", "app_attribute_key"] {
                        try connection.execute(
                            "DELETE FROM \(table) WHERE NOT EXISTS (SELECT 1 FROM event)")
                    }
                }
            }
            #expect(try Verification(folder.data).run().isGood)
            return try store.reader().rows(
                """
                SELECT accepted, pruned, first_time - \(Batches.noon), last_time - \(Batches.noon),
                    sessions IS NULL, attribute_keys IS NULL FROM batch
                """)
        }
        #expect(try left(deleting: "late = 1000") == ["3|1|5|9|0|0"])
        #expect(try left(deleting: "true") == ["3|3|||1|1"])
    }
}
