import Events
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("an erasure that fails midway", .tags(.long), .timeLimit(.minutes(20)))
struct ErasureFailureTests {
    let folder = TemporaryFolder()
    let disk: FaultDisk
    let store: Store
    let app: App

    init() throws {
        disk = FaultDisk(folder.data.path)
        store = try Store.open(folder.options)
        app = try store.registry.addApp("shop")
        let crowd = (1...20).flatMap { device in
            (0..<4).map {
                Batches.marked(
                    "mark\(device)x", "b\($0)", device: device, times: [Batches.noon])
            }
        }
        #expect(store.writer.storeTogether(crowd).allSatisfy { $0 == .stored })
    }

    private func isErasing() throws -> Bool {
        try store.reader().rows("SELECT device FROM erasing") != []
    }

    /// Makes it fail in the first place at which the device is detached already.
    private func fail(_ fault: FaultDisk.Fault, from first: inout Int) throws -> Int {
        for device in 1...20 {
            disk.fail(fault, [.changes, .shared], first: first)
            let error = failure { _ = try store.erase(Batches.device(device), of: app) }
            disk.count()
            try #require(error != nil)
            if try isErasing() { return device }
            #expect(store.writer.becomesReady())
            first += 2
        }
        throw StorageError.closed
    }

    @Test(
        "ends by itself when the disk is well again, wherever it failed",
        arguments: [FaultDisk.Fault.eio, .enospc])
    func byItself(_ fault: FaultDisk.Fault) throws {
        var first = 1
        var device = try fail(fault, from: &first)
        var count = 0
        while count < 6 {
            let isDone = try eventually {
                try !isErasing() && store.reader().fact(Erasure.isUnclean) == 0
            }
            try #require(isDone, "device \(device), operation \(first)")
            #expect(try folder.files(with: "mark\(device)x") == [])
            #expect(try folder.files(with: Batches.device(device).bytes) == [])
            device += 1
            first += 4
            count += 1
            disk.fail(fault, [.changes, .shared], first: first)
            let error = failure { _ = try store.erase(Batches.device(device), of: app) }
            disk.count()
            if error == nil { break }
        }
        #expect(count > 2)
    }

    @Test("can be asked for again, and the next erasure ends it as well")
    func again() throws {
        var first = 1
        let device = try fail(.enospc, from: &first)
        #expect(store.writer.becomesReady())
        #expect(try store.erase(Batches.device(20), of: app)?.batches == 4)
        #expect(try !isErasing())
        let erased = try #require(try store.erase(Batches.device(device), of: app))
        #expect(erased.isClean)
        #expect(try folder.files(with: "mark\(device)x") == [])
        // Once is enough.
        #expect(try store.erase(Batches.device(device), of: app) == nil)
    }
}
