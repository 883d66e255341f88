import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import SQLiteFiles
@testable import Storage
@testable import Upkeep

/// docs/design.md, When a write fails: frames that a failed sync has lost and the kernel still shows.
@Suite("a log that is not on disk as it is seen", .tags(.long))
struct DurableWALTests {
    let folder: TemporaryFolder
    let disk: FaultDisk
    let history = History()

    init() throws {
        folder = try Workload.prepare()
        chmod(folder.data.database, 0o600)
        disk = FaultDisk(folder.data.path)
    }

    private var options: Store.Options { folder.options }
    private var log: String { folder.data.wal }
    private var copy: String { folder.data.walCopy }

    @Test(
        "costs nothing in the process whose sync failed, whenever the power goes",
        arguments: [Survival.drop, .some, .noise])
    func sameProcess(_ survival: Survival) throws {
        let store = try Store.open(options)
        try leaveShortLog(store)
        disk.fail(.eio, .syncs, times: 1)
        post("b-1", to: store)
        post("b-2", to: store)
        #expect(outcomes == [.stored, .failed(.internalError), .stored])
        try expectWhole(survival)
    }

    @Test(
        "costs nothing in the process after that one, whenever the power goes",
        arguments: [Survival.drop, .some, .noise])
    func nextProcess(_ survival: Survival) throws {
        try leaveLostFrames()
        post("b-2", to: try Store.open(options))
        try expectWhole(survival)
    }

    @Test(
        "is moved again from its begin, where a reader had stopped what a sync then failed for",
        arguments: [Survival.drop, .some])
    func movedInPart(_ survival: Survival) throws {
        let store = try Store.open(options)
        post("b-0", to: store)
        let reader = try store.reader()
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM batch")
        post("b-1", to: store)
        #expect(try !checkpoint(store))
        try reader.execute("ROLLBACK")
        // The first is the log's.
        disk.fail(.eio, .syncs, first: 2, times: 1)
        #expect(throws: StorageError.self) { try checkpoint(store) }
        #expect(disk.failed == 1)
        post("b-2", to: store)
        #expect(outcomes == [.stored, .stored, .stored])
        try expectWhole(survival)
        withExtendedLifetime(reader) {}
    }

    @Test("is written anew while a copy of it is on disk")
    func order() throws {
        try leaveLostFrames()
        let place = disk.tape().count
        _ = try Store.open(options)
        let steps = disk.tape()[place...].compactMap { record in
            switch record.operation {
            case .write: record.file == "sojourn.db" ? nil : "write \(record.file)"
            case .sync(let coversNames): "sync \(record.file)" + (coversNames ? ", names" : "")
            case .delete(let isSynced): "delete \(record.file)" + (isSynced ? ", synced" : "")
            case .open, .truncate, .mark: nil
            }
        }
        #expect(
            steps.prefix(6) == [
                "write sojourn.db-copy", "write sojourn.db-copy", "sync sojourn.db-copy, names",
                "write sojourn.db-wal", "sync sojourn.db-wal", "delete sojourn.db-copy, synced",
            ])
    }

    @Test("is brought back from a whole copy, even if not a byte of it can be read")
    func broughtBack() throws {
        try leaveCopy(events: 6000)
        let count = try contents(of: log).count
        #expect(count > 2 * LayerFile.maxBytes)
        try Data(repeating: 0xa5, count: count).write(to: URL(filePath: log))
        try expectStored(["b-0", "b-1"])
    }

    @Test("is brought back where only its header was lost", arguments: [32, 512, 4096])
    func zeroHeader(_ zeros: Int) throws {
        try leaveCopy()
        var octets = try contents(of: log)
        octets.replaceSubrange(0..<zeros, with: Data(count: zeros))
        try octets.write(to: URL(filePath: log))
        try expectStored(["b-0", "b-1"])
    }

    @Test("keeps commands that only read away until it is brought back")
    func readers() throws {
        try leaveCopy()
        let refusal = try #require(failure { _ = try StoreReader(directory: folder.data) })
        #expect(refusal.kind == .busy && "\(refusal)".contains("start the server"))
        try expectStored(["b-0", "b-1"])
    }

    @Test("gets a new copy where a process was killed: its own may not be on disk")
    func copyOfKilled() throws {
        try leaveCopy()
        let place = disk.tape().count
        try expectStored(["b-0", "b-1"])
        let syncs = disk.tape()[place...].filter {
            if case .sync = $0.operation { true } else { false }
        }
        #expect(syncs.first?.file == "sojourn.db-copy")
    }

    @Test("is found where the database's name is a link")
    func link() throws {
        try leaveLostFrames()
        let elsewhere = folder.path + "/elsewhere"
        mkdir(elsewhere, 0o700)
        for name in ["sojourn.db", "sojourn.db-wal"] {
            try FileManager.default.moveItem(
                atPath: folder.data.path + "/" + name, toPath: elsewhere + "/" + name)
        }
        symlink(elsewhere + "/sojourn.db", folder.data.database)
        let disk = FaultDisk(elsewhere)
        try expectStored(["b-0", "b-1"])
        #expect(disk.tape().contains { $0.file == "sojourn.db-copy" })
    }

    @Test("is not opened by a path that is too long, and that is told")
    func longPath() throws {
        let long = String(repeating: "/long", count: 200)
        let refusal = failure { _ = try LayerFile(wal: folder.path + long, makes: false) }
        #expect(refusal?.kind == .io)
    }

    @Test("stays as it is where the copy is not whole", arguments: [0, 31, 500, -1])
    func halfCopy(_ length: Int) throws {
        try leaveCopy()
        let whole = try contents(of: copy)
        let part = whole.prefix(length < 0 ? whole.count - 1 : length)
        try part.write(to: URL(filePath: copy))
        try expectStored(["b-0", "b-1"])
    }

    @Test("stays as it is where it has gone on since it was copied")
    func laterLog() throws {
        try leaveCopy()
        let early = try contents(of: copy)
        let store = try Store.open(options)
        post("b-2", to: store)
        // As after a kill.
        let image = try [log, folder.data.database].map { ($0, try contents(of: $0)) }
        try store.close()
        for (path, octets) in image { try octets.write(to: URL(filePath: path)) }
        try early.write(to: URL(filePath: copy))
        try expectStored(["b-0", "b-1", "b-2"])
    }

    @Test("is not made of a copy where there is none")
    func noLog() throws {
        try leaveCopy()
        let early = try contents(of: copy)
        try Store.open(options).close()
        #expect(!FileManager.default.fileExists(atPath: log))
        try early.write(to: URL(filePath: copy))
        try expectStored(["b-0", "b-1"])
    }

    @Test("is written anew without a copy where there is no room for one")
    func fullDisk() throws {
        try leaveLostFrames()
        disk.fail(.enospc, .opens)
        let place = disk.tape().count
        _ = try Store.open(options)
        let first = try #require(
            disk.tape()[place...].first { if case .write = $0.operation { true } else { false } })
        #expect(first.file == "sojourn.db-wal")
        #expect(disk.failed > 0)
        disk.count()
        #expect(!FileManager.default.fileExists(atPath: copy))
        try expectStored(["b-0", "b-1"])
    }

    @Test("leaves no half copy on a disk that fails")
    func failingDisk() throws {
        try leaveLostFrames()
        disk.fail(.eio, .writes)
        #expect(failure { _ = try Store.open(options) }?.kind == .io)
        #expect(!FileManager.default.fileExists(atPath: copy))
        disk.count()
        try expectStored(["b-0", "b-1"])
    }

    /// Of all pages that batches change the log has few, and the file the others: as they were before the
    /// next batch, or the two do not fit together.
    private func leaveShortLog(_ store: Store) throws {
        post("b-0", to: store)
        #expect(try checkpoint(store, .truncate))
        let made = try store.registry.addToken(scope: .report, app: "shop")
        history.answered(.token(made.token.name), on: disk)
    }

    /// A process stores b-0, loses b-1 to a disk that fails from then on, and ends.
    private func leaveLostFrames(events: Int = 60) throws {
        let store = try Store.open(options)
        try leaveShortLog(store)
        disk.fail(.eio, .syncs)
        post("b-1", events: events, to: store)
        #expect(outcomes == [.stored, .failed(.internalError)])
        try? store.close()
        #expect(throws: StorageError.self) { try Store.open(options) }
        disk.count()
    }

    /// The same, and the next one is stopped before it can remove its copy.
    private func leaveCopy(events: Int = 60) throws {
        try leaveLostFrames(events: events)
        disk.fail(.eio, .deletes)
        #expect(throws: StorageError.self) { try Store.open(options) }
        disk.count()
        #expect(try mode(of: copy) == 0o600)
    }

    @discardableResult
    private func checkpoint(
        _ store: Store, _ kind: Connection.Checkpoint = .passive
    ) throws -> Bool {
        try store.writer.perform { (connection) throws(StorageError) in
            try connection.checkpoint(kind)
        }
    }

    /// A batch of several pages.
    private func post(_ id: String, events: Int = 60, to store: Store) {
        let name = BatchName(device: 1, id: id)
        let times = (0..<events).map { Batches.noon + Int64($0) }
        let batch = Batches.make(id, times: times, name: "screen.\(id)")
        history.sending(name, batch)
        guard let outcome = store.writer.storeAlone(batch) else { return }
        history.answered(.batch(name, outcome), on: disk)
    }

    private var outcomes: [WriteOutcome] {
        history.answers.compactMap { if case .batch(_, let outcome) = $0 { outcome } else { nil } }
    }

    /// Cuts the power after each operation so far.
    private func expectWhole(_ survival: Survival) throws {
        let run = try CrashPoints(
            tape: disk.tape(), judge: Judge(history),
            rest: ["master.key": Array(contents(of: folder.data.masterKey))], seed: ChaosSize.seed)
        let findings = try run.tryAll(survival)
        #expect(findings.verdict.all == [])
        #expect(findings.points > 10)
        ChaosSize.tell(points: findings.points, findings.verdict)
    }

    private func expectStored(_ ids: [String]) throws {
        let store = try Store.open(options)
        #expect(try store.reader().rows("SELECT batch_id FROM batch ORDER BY id") == ids)
        #expect(try Verification(folder.data).run().findings == [])
        #expect(!FileManager.default.fileExists(atPath: copy))
        try store.close()
    }
}
