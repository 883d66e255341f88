import Events
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Storage
@testable import Upkeep

@Suite("an erased device leaves no trace in the files (docs/operation.md, One device)")
struct ErasureTraceTests {
    let folder = TemporaryFolder()

    @Test("among thousands of batches in random order, while pages split and merge", .tags(.long))
    func crowd() throws {
        let store = try Store.open(folder.options)
        let app = try store.registry.addApp("shop")
        var random = SystemRandomNumberGenerator()
        var batches: [(device: Int, number: Int)] = []
        // Device 0 would hash to zeros.
        for device in 1...400 { for number in 0..<15 { batches.append((device, number)) } }
        batches.shuffle(using: &random)
        var waiting: [AcceptedBatch] = []
        for (place, (device, number)) in batches.enumerated() {
            waiting.append(
                Batches.marked(
                    "mark\(device)x", "b\(number)-\(place)", device: device,
                    times: (0..<10).map { Batches.noon + Int64($0 * 1000 + number) }))
            // Few at a time: pages are split in many orders.
            guard waiting.count == 10 else { continue }
            _ = store.writer.storeTogether(waiting)
            waiting = []
        }
        for device in stride(from: 1, to: 400, by: 7) {
            let hash = Batches.device(device)
            let erased = try #require(try store.erase(hash, of: app))
            #expect(erased.isClean)
            #expect(erased.batches == 15 && erased.events == 150)
            #expect(try folder.files(with: "mark\(device)x") == [], "device \(device)")
            #expect(try folder.files(with: hash.bytes) == [], "device \(device)")
        }
        try store.close()
    }
}
