import Events
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import SQLiteFiles
@testable import Storage
@testable import Upkeep

@Suite("a reader that holds the log up")
struct HeldLogTests {
    let folder = TemporaryFolder()

    /// A reader in whose snapshot the last batch is not: so the log cannot be emptied.
    private func hold(_ store: Store) throws -> Connection {
        #expect(store.writer.storeAlone(Batches.make("before")) == .stored)
        let reader = try store.reader()
        try reader.execute("BEGIN")
        #expect(try reader.rows("SELECT 1 FROM batch WHERE batch_id = 'before'") == ["1"])
        #expect(store.writer.storeAlone(Batches.make("after")) == .stored)
        return reader
    }

    private func open() throws -> Store {
        var options = folder.options
        options.limits.patienceAtStart = 50
        return try Store.open(options)
    }

    private func log() throws -> Int { try contents(of: folder.data.database + "-wal").count }

    @Test("who holds it is known, and nobody is who reads its newest state")
    func holders() throws {
        let store = try Store.open(folder.options)
        #expect(try folder.data.processesHoldingWAL() == [])
        let newest = try store.reader()
        let reader = try hold(store)
        try newest.execute("BEGIN")
        #expect(try newest.rows("SELECT count(*) FROM batch") == ["2"])
        #expect(try folder.data.processesHoldingWAL() == [getpid()])
        try reader.execute("COMMIT")
        #expect(try folder.data.processesHoldingWAL() == [])
        try newest.execute("COMMIT")
        try store.close()
        #expect(try folder.data.processesHoldingWAL() == [])
    }

    @Test("of the system's locks those count that are on marks of an older state of this database")
    func locks() {
        let readers = WALReaders(frames: 9, marks: [0, 9, 7, 9, .max], inode: 131)
        func found(_ lines: String...) -> [Int32] {
            readers.processes(in: lines.map { $0 + "\n" }.joined())
        }
        #expect(found("1: POSIX  ADVISORY  READ 7 fe:00:131 124 124") == [])
        #expect(found("1: POSIX  ADVISORY  READ 7 fe:00:131 125 125") == [7])
        #expect(found("1: POSIX  ADVISORY  READ 7 fe:00:131 124 126") == [7])
        #expect(found("1: POSIX  ADVISORY  READ 7 fe:00:131 123 123") == [7])
        #expect(found("1: POSIX  ADVISORY  READ 7 fe:00:132 125 125") == [])
        #expect(found("1: POSIX  ADVISORY  READ 7 fe:00:131 128 128") == [])
        #expect(found("1: FLOCK  ADVISORY  WRITE 7 fe:00:131 0 EOF") == [])
        #expect(found("1: POSIX  ADVISORY  READ 0 fe:00:131 125 125", "", "x") == [])
        #expect(
            found(
                "1: POSIX  ADVISORY  READ 7 fe:00:131 125 125",
                "2: POSIX  ADVISORY  READ 8 fe:00:131 123 123",
                "2: -> POSIX  ADVISORY  READ 9 fe:00:131 125 125",
                "3: POSIX  ADVISORY  READ 7 fe:00:131 123 123") == [7, 8])
    }

    @Test("closing leaves it the log, loses nothing and is no error")
    func closing() throws {
        var store = try Store.open(folder.options)
        let reader = try hold(store)
        try store.close()
        #expect(try log() > 0)
        try reader.execute("COMMIT")
        store = try Store.open(folder.options)
        let duplicate = WriteOutcome.duplicate(accepted: 1, rejected: 0)
        #expect(
            store.writer.storeTogether([Batches.make("before"), Batches.make("after")])
                == [duplicate, duplicate])
    }

    @Test(
        "once a long reader is gone the log's file goes back by itself, with batches or without",
        arguments: [Int.max, 10], [false, true])
    func afterReader(framesMovedBeside: Int, hasBatches: Bool) throws {
        var options = folder.options
        options.limits.framesPerCheckpoint = 50
        options.limits.framesMovedBeside = framesMovedBeside
        options.limits.millisecondsBetweenLooks = 20
        let store = try Store.open(options)
        let reader = try hold(store)
        for number in 0..<40 as Range<Int64> {
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.setFact("long", [UInt8](repeating: UInt8(number), count: 80_000))
            }
        }
        #expect(try log() > 40 * 80_000)
        try reader.execute("COMMIT")
        if hasBatches { #expect(store.writer.storeAlone(Batches.make("then")) == .stored) }
        #expect(try eventually { try log() == 0 })
        #expect(store.writer.storeAlone(Batches.make("later")) == .stored)
        #expect(try log() > 0)
        try store.close()
        let stored = try Connection(path: folder.data.database, mode: .read).rows(
            "SELECT batch_id FROM batch ORDER BY id")
        #expect(stored == ["before", "after"] + (hasBatches ? ["then"] : []) + ["later"])
    }

    @Test("work that is no batch lets the log grow no more than batches do")
    func administration() throws {
        var options = folder.options
        options.limits.framesPerCheckpoint = 50
        options.limits.framesMovedBeside = .max
        let store = try Store.open(options)
        var longest = 0
        for number in 0..<40 as Range<Int64> {
            try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.setFact("long", [UInt8](repeating: UInt8(number), count: 80_000))
            }
            longest = max(longest, try log())
        }
        // Some twenty pages each.
        #expect(longest > 50 * 4096 && longest < 100 * 4096)
        try store.close()
    }

    @Test("after a kill the server starts, promises nothing, and is ready once the reader is gone")
    func starting() throws {
        var store: Store? = try Store.open(folder.options)
        _ = try store?.registry.addApp("shop")
        let reader = try hold(#require(store))
        // Nothing is tidied up, as after `kill -9`.
        store = nil
        #expect(try log() > 0)
        let next = try open()
        #expect(next.registry.snapshot.app(named: "shop") != nil)
        guard case .failing(.walHeld) = next.writer.readiness else {
            Issue.record("\(next.writer.readiness)")
            return
        }
        #expect(next.writer.storeAlone(Batches.make("b-1")) == .failed(.internalError))
        #expect(failure { _ = try next.registry.addApp("other") }?.kind == .busy)
        #expect(try reader.integer("SELECT count(*) FROM batch") == 1)
        try reader.execute("COMMIT")
        #expect(next.writer.becomesReady())
        // Only the writer's own probe is in it.
        #expect(try log() < 8 * 4120)
        #expect(next.writer.storeAlone(Batches.make("b-1")) == .stored)
        #expect(
            try next.reader().rows("SELECT batch_id FROM batch ORDER BY id")
                == ["before", "after", "b-1"])
    }

    @Test("an erasure that a crash interrupts holds up no start; traces go once the reader is gone")
    func erasing() throws {
        var store: Store? = try Store.open(folder.options)
        let app = try #require(try store?.registry.addApp("shop"))
        _ = store?.writer.storeTogether(Batches.crowd)
        let reader = try hold(#require(store))
        #expect(try store?.detach(Batches.device(3), of: app) != nil)
        store = nil
        let next = try open()
        #expect(try next.reader().rows("SELECT count(*) FROM erasing") == ["0"])
        #expect(try next.reader().fact(Erasure.isUnclean) == 1)
        #expect(try folder.files(with: "mark3x") != [])
        try reader.execute("COMMIT")
        #expect(try eventually { try next.reader().fact(Erasure.isUnclean) == 0 })
        #expect(try folder.files(with: "mark3x") == [])
    }

    @Test("a store that never became ready closes without an error")
    func closingUnready() throws {
        var store: Store? = try Store.open(folder.options)
        let reader = try hold(#require(store))
        store = nil
        try open().close()
        #expect(try reader.integer("SELECT count(*) FROM batch") == 1)
    }

    @Test("it is busy, but not in use: nobody is there who could be asked instead")
    func kinds() throws {
        let store = try Store.open(folder.options)
        let second = try #require(failure { _ = try Store.open(folder.options) })
        #expect(second.kind == .busy && second.isInUse)
        let path = store.directory.database
        for error in [StorageError.walHeld(path: path), .lockedFor(path: path, milliseconds: 1)] {
            #expect(error.kind == .busy && !error.isInUse)
        }
    }
}
