import Events
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

@Suite("an erasure that a crash interrupts is finished at the next start", .tags(.long))
struct ErasureCrashTests {
    let folder = TemporaryFolder()

    /// A database with five devices, closed. Of each some batches are in `repeat_key`, some not.
    private func prepare() throws -> App {
        let store = try Store.open(folder.options)
        let app = try store.registry.addApp("shop")
        let perDevice = Batches.crowd.count / 5
        for place in Batches.crowd.indices {
            let batch = Batches.crowd[place % 5 * perDevice + place / 5]
            _ = store.writer.storeAlone(batch)
        }
        let reach = try store.reader().rows(
            """
            SELECT DISTINCT batch.id <= reach.batch FROM batch, repeat_keys_to AS reach
            WHERE device = 3
            """)
        #expect(reach.sorted() == ["0", "1"])
        try store.close()
        return app
    }

    private func model() throws -> [[String]] {
        let other = TemporaryFolder()
        let store = try Store.open(other.options)
        _ = try store.registry.addApp("shop")
        _ = store.writer.storeTogether(
            Batches.crowd.filter { $0.device != Batches.device(3) })
        return try ErasureTests.contents(of: store)
    }

    private func expectErased() throws {
        let store = try Store.open(folder.options)
        #expect(try ErasureTests.contents(of: store) == model())
        #expect(try folder.files(with: "mark3x") == [])
        #expect(try folder.files(with: Batches.device(3).bytes) == [])
        #expect(try store.reader().fact(Erasure.isUnclean) == 0)
        try store.close()
        // Once is enough: what comes after the receipt stays.
        let again = try Store.open(folder.options)
        #expect(again.writer.storeAlone(Batches.make("new", device: 3)) == .stored)
        try again.close()
        let last = try Store.open(folder.options)
        #expect(try last.reader().rows("SELECT 1 FROM batch WHERE batch_id = 'new'") == ["1"])
        try last.close()
    }

    private func receipt(_ moment: Int64 = Batches.noon + 2000) -> ErasureReceipt {
        ErasureReceipt(app: "shop", device: Batches.device(3), moment: moment)
    }

    @Test("after the receipt, before anything else")
    func afterReceipt() throws {
        _ = try prepare()
        _ = try ErasureReceipts.append([receipt()], to: folder.data.erased)
        try expectErased()
    }

    @Test("within the receipt: nothing was erased, and nothing is", arguments: [1, 10, 64, 78])
    func tornReceipt(count: Int) throws {
        _ = try prepare()
        let line = Array("\(receipt().line)\n".utf8)
        try Data(line.prefix(count)).write(to: URL(filePath: folder.data.erased))
        let store = try Store.open(folder.options)
        #expect(try store.reader().rows("SELECT count(*) FROM device") == ["5"])
        let app = try #require(store.registry.snapshot.app(named: "shop"))
        #expect(try store.erase(Batches.device(3), of: app) != nil)
        let receipts = try ErasureReceipts.merged([folder.data.erased])
        #expect(receipts.map(\.subject) == [receipt().subject])
        try store.close()
    }

    @Test("after any number of its steps", arguments: 0..<12)
    func afterSteps(_ steps: Int) throws {
        let app = try prepare()
        let end = try ErasureReceipts.append([receipt()], to: folder.data.erased).upperBound
        do {
            let connection = try Connection(path: folder.data.database, mode: .write)
            let detached = try connection.transaction { () throws(StorageError) in
                try connection.setFact(Erasure.erasedBytes, end)
                try connection.setFact(Erasure.isUnclean, 1)
                return try DeviceErasure(connection: connection).detach(
                    app: app.id, hash: Batches.device(3).bytes, before: nil)
            }
            let device = try #require(detached)
            // As where others wait for the writer: in small steps.
            let turns = SerialWork(label: "test")
            let counted = CountedSteps(SoleWriter(connection), left: steps)
            let run = Erasure(reader: connection, rebuilds: turns, steps: counted)
            _ = try? run.finish(device, .candidates(of: device, connection))
            #expect(counted.left < 0 || steps > 3)
        }
        try expectErased()
    }

    /// The first steps of an erasure.
    private final class CountedSteps: StepRunner {
        private let all: SoleWriter
        private(set) var left: Int

        init(_ all: SoleWriter, left: Int) { (self.all, self.left) = (all, left) }

        func step<T: Sendable>(
            keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
        ) throws(StorageError) -> (result: T, time: SliceTime) {
            left -= 1
            // As good as a crash: the next step never comes.
            if left < 0 { throw .closed }
            return try all.step(keeping: keeping, work)
        }
    }

    @Test("a replay erases what arrived before its moment, and makes the device anew from the rest")
    func split() throws {
        _ = try prepare()
        let store = try Store.open(folder.options)
        var later = Batches.make("later", device: 3, times: [Batches.noon + 9], name: "app.later")
        later.receivedAt = Batches.noon + 5000
        #expect(store.writer.storeAlone(later) == .stored)
        try store.close()
        let connection = try Connection(path: folder.data.database, mode: .write)
        #expect(try Erasure.replay([receipt(Batches.noon + 5000)], on: connection) == 1)
        let other = TemporaryFolder()
        let model = try Store.open(other.options)
        _ = try model.registry.addApp("shop")
        _ = model.writer.storeTogether(
            Batches.crowd.filter { $0.device != Batches.device(3) } + [later])
        let store2 = try Store.open(folder.options)
        #expect(try ErasureTests.contents(of: store2) == ErasureTests.contents(of: model))
        #expect(
            try store2.reader().rows(
                "SELECT count(*) FROM device WHERE checksum <> \(CheckedTable.device.expression)")
                == ["0"])
    }

    @Test("a split is finished wherever it was stopped", arguments: 0..<14)
    func splitAfterSteps(_ steps: Int) throws {
        let app = try prepare()
        let store = try Store.open(folder.options)
        var later = Batches.make("later", device: 3, times: [Batches.noon + 9], name: "app.later")
        later.receivedAt = Batches.noon + 5000
        #expect(store.writer.storeAlone(later) == .stored)
        try store.close()
        let moment = Batches.noon + 5000
        let end = try ErasureReceipts.append([receipt(moment)], to: folder.data.erased).upperBound
        do {
            let connection = try Connection(path: folder.data.database, mode: .write)
            let detached = try connection.transaction { () throws(StorageError) in
                try connection.setFact(Erasure.erasedBytes, end)
                try connection.setFact(Erasure.isUnclean, 1)
                return try DeviceErasure(connection: connection).detach(
                    app: app.id, hash: Batches.device(3).bytes, before: moment)
            }
            let row = try #require(detached)
            #expect(try DeviceSplit.unfinished(row, connection) != nil)
            let counted = CountedSteps(SoleWriter(connection), left: steps)
            let run = Erasure(
                reader: connection, rebuilds: SerialWork(label: "test"), steps: counted)
            _ = try? run.finish(row, .candidates(of: row, connection))
            #expect(counted.left < 0 || steps > 5)
        }
        let amiss = try Verification(folder.data).run().findings.map(\.description).filter {
            $0.contains("device") || $0.contains("repeat_key")
        }
        #expect(amiss == [])
        let other = TemporaryFolder()
        let model = try Store.open(other.options)
        _ = try model.registry.addApp("shop")
        _ = model.writer.storeTogether(
            Batches.crowd.filter { $0.device != Batches.device(3) } + [later])
        let again = try Store.open(folder.options)
        #expect(try ErasureTests.contents(of: again) == ErasureTests.contents(of: model))
        #expect(again.writer.storeAlone(later) == .duplicate(accepted: 1, rejected: 0))
        #expect(
            try again.reader().rows("SELECT name FROM meta WHERE name LIKE 'split%'") == [])
        try again.close()
        #expect(try Verification(folder.data).run().findings == [])
    }

    private func firstSeen() throws -> [String] {
        try Connection(path: folder.data.database, mode: .read).rows(
            """
            SELECT first_time, first_batch_id, first_index FROM device
            WHERE hex(hash) = '\(Batches.device(3).hex.uppercased())'
            """)
    }

    @Test("a replay leaves a device alone that came back after its erasure: pruned, it stays known")
    func cameBack() throws {
        let app = try prepare()
        let store = try Store.open(folder.options)
        #expect(try store.erase(Batches.device(3), of: app) != nil)
        let receipts = try ErasureReceipts.merged([folder.data.erased])
        var later = Batches.make("later", device: 3, times: [Batches.noon + 9])
        later.receivedAt = try #require(receipts.last).moment
        #expect(store.writer.storeAlone(later) == .stored)
        #expect(try store.prune(before: Batches.noon + 10).events > 0)
        let before = try ErasureTests.contents(of: store)
        try store.close()
        let connection = try Connection(path: folder.data.database, mode: .write)
        #expect(try Erasure.replay(receipts, on: connection) == 0)
        #expect(try firstSeen() == ["\(Batches.noon + 9)|later|0"])
        let again = try Store.open(folder.options)
        #expect(try ErasureTests.contents(of: again) == before)
    }

    @Test("a replay that splits a device leaves its first seen, where the batch of it stays")
    func splitBehindFirst() throws {
        _ = try prepare()
        let store = try Store.open(folder.options)
        var later = Batches.make("later", device: 3, times: [Batches.noon - 100])
        later.receivedAt = Batches.noon + 5000
        later.sessionsJSON = Array(#"["s-later"]"#.utf8)
        #expect(store.writer.storeAlone(later) == .stored)
        // Now nothing tells when it was first seen but its row.
        #expect(try store.prune(before: Batches.noon - 50).events == 1)
        try store.close()
        let connection = try Connection(path: folder.data.database, mode: .write)
        #expect(try Erasure.replay([receipt(Batches.noon + 5000)], on: connection) == 1)
        #expect(try firstSeen() == ["\(Batches.noon - 100)|later|0"])
        #expect(try connection.rows("SELECT device FROM batch WHERE batch_id = 'c0'").count == 4)
    }

    @Test("a receipt whose erasure failed is carried out at the next start, also after another's")
    func outstanding() throws {
        let app = try prepare()
        let store = try Store.open(folder.options)
        _ = try ErasureReceipts.append([receipt()], to: folder.data.erased)
        #expect(try store.erase(Batches.device(4), of: app) != nil)
        #expect(try store.erase(Batches.device(5), of: app) != nil)
        try store.close()
        let next = try Store.open(folder.options)
        #expect(try next.reader().rows("SELECT count(*) FROM device") == ["2"])
        #expect(try folder.files(with: "mark3x") == [])
        let size = try contents(of: folder.data.erased).count
        #expect(try next.reader().fact(Erasure.erasedBytes) == Int64(size))
    }

    @Test("a receipt is a line; what is none is named, and several files are one set")
    func receipts() throws {
        let one = receipt(5)
        #expect(ErasureReceipt(line: one.line) == one)
        for line in [
            "", " ", "\(one.subject.hex)", "\(one.subject.hex) x", "\(one.line) ",
            "\(one.subject.hex.uppercased()) 5", "\(one.subject.hex) 05", "\(one.line)é",
        ] {
            #expect(ErasureReceipt(line: line) == nil, "\(line)")
        }
        let (a, b) = (folder.path + "/a", folder.path + "/b")
        let two = ErasureReceipt(app: "x", device: Batches.device(1), moment: 4)
        try ErasureReceipts.write([one, two], to: a)
        try ErasureReceipts.write([one], to: b)
        #expect(try ErasureReceipts.merged([a, folder.path + "/none", b]) == [two, one])
        #expect(try mode(of: a) == 0o600)
        try Data("nonsense\n".utf8).write(to: URL(filePath: b))
        let error = failure { _ = try ErasureReceipts.merged([b]) }
        #expect(error?.description.hasPrefix("line 1 of \(b) is no receipt") == true)
    }
}
