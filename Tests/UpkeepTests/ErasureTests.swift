import Dispatch
import Events
import Foundation
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("erasing a device")
struct ErasureTests {
    let folder = TemporaryFolder()

    /// Everything that can be asked of a database, without row ids: what is equal here is equal to
    /// everybody.
    static let contents = [
        "SELECT app, device, name, time_ms, session, attributes, batch_id, place FROM v_events "
            + "ORDER BY device, batch_id, place",
        "SELECT app, device, batch_id, received_ms, accepted, rejected, os_name, service_version "
            + "FROM v_batches ORDER BY device, batch_id",
        "SELECT app, device, shared, first_seen_ms, batches FROM v_devices ORDER BY device",
        "SELECT device, batch_id, code, events FROM v_rejections ORDER BY device, batch_id, code",
        "SELECT hex(hash), batch_id, times FROM repeat JOIN batch ON batch.id = repeat.batch "
            + "JOIN device ON device.id = batch.device ORDER BY 1, 2",
        "SELECT text FROM name ORDER BY text",
        "SELECT service_version FROM resource ORDER BY service_version",
        "SELECT count(*) FROM erasing", "SELECT count(*) FROM completion",
    ]

    static func contents(of store: Store) throws -> [[String]] {
        let reader = try store.reader()
        // Views use functions that this version of SQLite runs only where it is told to trust them.
        try reader.execute("PRAGMA trusted_schema=ON")
        return try contents.map { try reader.rows($0) }
    }

    private func open(_ folder: TemporaryFolder, _ batches: [AcceptedBatch]) throws -> Store {
        let store = try Store.open(folder.options)
        if store.registry.snapshot.apps.isEmpty { _ = try store.registry.addApp("shop") }
        for outcome in store.writer.storeTogether(batches) {
            if case .failed? = outcome { Issue.record("a batch was not stored") }
        }
        return store
    }

    private func app(_ store: Store) throws -> App {
        try #require(store.registry.snapshot.app(named: "shop"))
    }

    private var withoutThird: [AcceptedBatch] {
        Batches.crowd.filter { $0.device != Batches.device(3) }
    }

    @Test("says before whether many devices share the id")
    func shared() throws {
        let store = try open(
            folder,
            [
                Batches.make("one", device: 1, times: [Batches.noon], shared: true),
                Batches.make("two", device: 2, times: [Batches.noon]),
            ])
        #expect(try store.isShared(Batches.device(1), of: app(store)))
        for device in [2, 3] {
            #expect(try !store.isShared(Batches.device(device), of: app(store)))
        }
        _ = try store.erase(Batches.device(1), of: app(store))
        #expect(try !store.isShared(Batches.device(1), of: app(store)))
    }

    @Test("leaves what would be there had the device never been; names that others use stay")
    func equalToWithout() throws {
        let store = try open(folder, Batches.crowd)
        let other = TemporaryFolder()
        let model = try open(other, withoutThird)
        let before = try Self.contents(of: store)
        let erased = try #require(try store.erase(Batches.device(3), of: app(store)))
        #expect(
            erased
                == ErasedDevice(batches: 8, events: 16, names: 2, resources: 1, isClean: true))
        #expect(try Self.contents(of: store) == Self.contents(of: model))
        #expect(try Self.contents(of: store) != before)
        #expect(try store.erase(Batches.device(3), of: app(store)) == nil)
        #expect(try store.erase(Batches.device(77), of: app(store)) == nil)
        #expect(try folder.files(with: "mark3x") == [])
        #expect(try folder.files(with: "mark2x") == ["sojourn.db"])
    }

    @Test("what comes of it afterwards is a new device's, repeats and names that went are new")
    func newAgain() throws {
        let store = try open(folder, Batches.crowd)
        _ = try store.erase(Batches.device(3), of: app(store))
        let again = Batches.crowd.filter { $0.device == Batches.device(3) }
        let outcomes = store.writer.storeTogether(again)
        #expect(outcomes.count { $0 == .stored } == 8)
        // A name that only it used, of another device: the writer remembers no row that went.
        var borrowed = again[0]
        borrowed.device = Batches.device(4)
        borrowed.batchID = "borrowed"
        #expect(store.writer.storeAlone(borrowed) == .stored)
        let other = TemporaryFolder()
        let model = try open(other, Batches.crowd + [borrowed])
        #expect(try Self.contents(of: store) == Self.contents(of: model))
    }

    @Test("what comes of it while it is taken apart is a new device's already, and stays")
    func meanwhile() throws {
        let store = try open(folder, Batches.crowd)
        let detached = try #require(try store.detach(Batches.device(3), of: app(store)))
        let own = Batches.crowd.filter { $0.device == Batches.device(3) }
        #expect(store.writer.storeAlone(own[0]) == .stored)
        #expect(store.writer.storeAlone(own[0]) == .duplicate(accepted: 2, rejected: 1))
        #expect(try store.finish(detached).batches == 8)
        let other = TemporaryFolder()
        let model = try open(other, withoutThird + [own[0], own[0]])
        #expect(try Self.contents(of: store) == Self.contents(of: model))
    }

    @Test("beside other devices' batches, of which none is lost", .tags(.long))
    func underLoad() throws {
        let store = try open(folder, Batches.crowd)
        let more = (0..<600).map {
            Batches.make("more\($0)", device: 10 + $0 % 7, name: "app.mark3x.not")
        }
        let done = DispatchGroup()
        for stripe in 0..<4 {
            DispatchQueue.global().async(group: done) {
                for batch in more[(stripe * 150)..<(stripe * 150 + 150)] {
                    _ = store.writer.storeAlone(batch)
                }
            }
        }
        for device in [3, 1, 5] {
            #expect(try store.erase(Batches.device(device), of: app(store))?.batches == 8)
        }
        done.wait()
        let other = TemporaryFolder()
        let model = try open(
            other,
            more
                + Batches.crowd.filter { batch in
                    ![1, 3, 5].contains { batch.device == Batches.device($0) }
                })
        #expect(try Self.contents(of: store) == Self.contents(of: model))
        for device in [1, 3, 5] { #expect(try folder.files(with: "b0-mark\(device)x") == []) }
    }

    @Test("a device that is detached while the file is cleaned for another leaves that to be done")
    func twoAtOnce() throws {
        let store = try open(folder, Batches.crowd)
        let first = try #require(try store.detach(Batches.device(1), of: app(store)))
        #expect(try store.finish(first).isClean)
        let count = try store.scrubFile()
        _ = try #require(try store.detach(Batches.device(2), of: app(store)))
        try store.takeApartBegun()
        try store.noteClean(asOf: count)
        #expect(try store.reader().fact(Erasure.isUnclean) == 1)
        // Nor while one is not taken apart.
        let third = try #require(try store.detach(Batches.device(3), of: app(store)))
        try store.noteClean(asOf: store.scrubFile())
        #expect(try store.reader().fact(Erasure.isUnclean) == 1)
        #expect(try store.finish(third).isClean)
        #expect(try store.reader().fact(Erasure.isUnclean) == 0)
    }

    @Test("a device of another app with the same id stays")
    func otherApp() throws {
        let store = try open(folder, Batches.crowd)
        let second = try store.registry.addApp("second")
        #expect(store.writer.storeAlone(Batches.make("b", app: second.id, device: 3)) == .stored)
        #expect(try store.erase(Batches.device(3), of: app(store)) != nil)
        #expect(try store.reader().rows("SELECT batch_id FROM batch WHERE app = 2") == ["b"])
        #expect(try store.erase(Batches.device(3), of: second)?.batches == 1)
    }

    @Test("what later writing does to the pages brings nothing back")
    func afterwards() throws {
        let store = try open(folder, [])
        let batches = (0..<40).flatMap { number in
            (1...30).map { device in
                Batches.marked(
                    "mark\(device)x", "b\(number)", device: device, times: [Batches.noon])
            }
        }
        _ = store.writer.storeTogether(batches)
        _ = try store.erase(Batches.device(3), of: app(store))
        _ = store.writer.storeTogether(
            (0..<900).map { Batches.make("later\($0)", device: 50 + $0 % 40) })
        try store.close()
        #expect(try folder.files(with: "mark3x") == [])
        #expect(try folder.files(with: Batches.device(3).bytes) == [])
    }

    @Test(
        "a reader that holds the log up does not hold up the erasure, and traces go when it is gone",
        .tags(.long)
    )
    func heldLog() throws {
        let store = try open(folder, Batches.crowd)
        var reader: Connection? = try store.reader()
        try reader?.execute("BEGIN")
        _ = try reader?.integer("SELECT count(*) FROM batch")
        let erased = try #require(try store.erase(Batches.device(3), of: app(store)))
        #expect(!erased.isClean && erased.batches == 8)
        #expect(try folder.files(with: "mark3x") != [])
        reader = nil
        #expect(try eventually { try folder.files(with: "mark3x") == [] })
    }

    @Test("once its reader is gone it has ended, whatever another erasure is at")
    func endsBesideAnother() throws {
        let reader = Mutex<Connection?>(nil)
        let store = Mutex<Store?>(nil)
        let (isAtWork, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wasLet = Mutex<DispatchTimeoutResult?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        let begun = Atomic(false)
        var options = folder.options
        options.polling = Polling { _ in
            guard !begun.exchange(true, ordering: .relaxed) else { return }
            let upkeep = store.withLock { $0?.upkeep }
            DispatchQueue(label: "another").async {
                try? upkeep?.erasures.run { () throws(StorageError) in
                    isAtWork.signal()
                    let result = mayEnd.wait(timeout: .now() + .seconds(20))
                    wasLet.withLock { $0 = result }
                }
                hasEnded.signal()
            }
            isAtWork.wait()
            reader.withLock { $0 = nil }
        }
        let opened = try Store.open(options)
        let app = try opened.registry.addApp("shop")
        _ = opened.writer.storeAlone(Batches.make("b-1", device: 1))
        store.withLock { $0 = opened }
        try reader.withLock { reader in
            reader = try opened.reader()
            try reader?.execute("BEGIN")
            _ = try reader?.integer("SELECT count(*) FROM batch")
        }
        let erased = try #require(try opened.erase(Batches.device(1), of: app))
        #expect(erased.isClean && erased.batches == 1)
        mayEnd.signal()
        hasEnded.wait()
        #expect(wasLet.withLock { $0 } == .success)
    }
}
