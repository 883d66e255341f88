import Dispatch
import Foundation
import Sealing
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import SQLiteFiles
@testable import Storage
@testable import Upkeep

/// docs/operation.md, Verify: what SQLite passes over in a log.
@Suite("a log that was harmed after it was on disk")
struct WALCheckTests {
    /// What a killed server leaves: a file, and a log of several commits.
    private struct Killed {
        let folder = TemporaryFolder()
        var log = Data()
        var database = Data()
        /// Where frames begin that end a transaction.
        var commits: [Int] = []

        init(batches: Int = 5, events: Int = 40) throws {
            var store: Store? = try Store.open(folder.options)
            _ = try store?.registry.addApp("shop")
            for number in 0..<batches {
                let times = (0..<events).map { Batches.noon + Int64($0) }
                let batch = Batches.make("b-\(number)", times: times, name: "screen.\(number)")
                #expect(store?.writer.storeAlone(batch) == .stored)
            }
            database = try contents(of: folder.data.database)
            log = try contents(of: folder.data.wal)
            store = nil
            try database.write(to: URL(filePath: folder.data.database))
            try write(log)
            commits = Self.frames(of: log).filter { log[$0 + 4..<$0 + 8].contains { $0 != 0 } }
        }

        static func frames(of log: Data) -> [Int] {
            Array(stride(from: 32, through: log.count - 4120, by: 4120))
        }

        func write(_ log: Data) throws {
            try log.write(to: URL(filePath: folder.data.wal))
            try FileSystem.remove(folder.data.sharedMemory)
        }

        func change(_ change: (inout Data) -> Void) throws {
            var changed = log
            change(&changed)
            #expect(changed != log)
            try write(changed)
        }

        func findings() throws -> [Finding] {
            try Verification(folder.data).run().findings
        }

        /// Found by `verify`, refused at the start, and left as it is.
        func expectFound(_ what: String) throws {
            let paths = [folder.data.wal, folder.data.database]
            let before = try paths.map { try contents(of: $0) }
            let findings = try findings()
            #expect(findings.contains { $0.subject == "the log" }, "\(what): \(findings)")
            for _ in 0..<2 {
                let refusal = failure { _ = try Store.open(folder.options) }
                #expect(refusal?.kind == .badData, "\(what)")
                #expect(refusal.map { "\($0)".contains("sojourn.db is damaged") } == true)
            }
            #expect(try paths.map { try contents(of: $0) } == before)
            #expect(try folder.names().filter { $0.hasSuffix("-copy") } == [])
        }

        /// No finding, and a start.
        /// - Parameter ids: what is stored then
        func expectNone(_ ids: [String], _ what: String) throws {
            #expect(try findings() == [], "\(what)")
            let store = try Store.open(folder.options)
            #expect(
                try store.reader().rows("SELECT batch_id FROM batch ORDER BY id") == ids, "\(what)")
            try store.close()
        }
    }

    @Test("is found, whichever bytes of a frame before the last two commits")
    func frames() throws {
        let killed = try Killed()
        #expect(killed.commits.count > 4)
        // All of a frame that ends a transaction, of one that does not, and of the last one that counts.
        let last = killed.commits[killed.commits.count - 2]
        let begins = Killed.frames(of: killed.log).filter { $0 <= last }
        let places =
            [killed.commits[2], begins.last { $0 < killed.commits[3] } ?? 0, last].flatMap {
                begin in
                ([0, 3, 4, 6, 7, 8, 11, 12, 15, 16, 19, 20, 23, 24, 25, 700, 4119])
                    .map { begin + $0 }
            }
        for place in places {
            try killed.change { $0[place] ^= 0xff }
            let part = (place - 32) % 4120
            try killed.expectFound("octet \(part) of frame \((place - 32) / 4120 + 1)")
        }
        try killed.write(killed.log)
        try killed.expectNone((0..<5).map { "b-\($0)" }, "unharmed")
    }

    @Test("is found, however many frames were lost in its midst")
    func hole() throws {
        let killed = try Killed()
        let end = killed.commits[killed.commits.count - 2]
        try killed.change { $0.replaceSubrange(4152..<end, with: Data(count: end - 4152)) }
        try killed.expectFound("a hole")
    }

    @Test("is found in each byte of the header")
    func header() throws {
        let killed = try Killed()
        for place in 0..<32 {
            try killed.change { $0[place] ^= 1 }
            try killed.expectFound("octet \(place)")
        }
        try killed.change { $0.replaceSubrange(0..<32, with: Data(count: 32)) }
        try killed.expectFound("no header")
    }

    @Test("is not what a power cut leaves of the last transaction")
    func torn() throws {
        let killed = try Killed()
        let begin = killed.commits[killed.commits.count - 2] + 4120
        let frames = Killed.frames(of: killed.log).filter { $0 >= begin }
        #expect(frames.count > 2)
        let ids = (0..<4).map { "b-\($0)" }
        for cut in [begin + 1, begin + 4120, killed.log.count - 4120, killed.log.count - 1] {
            try killed.change { $0 = $0.prefix(cut) }
            try killed.expectNone(ids, "cut at \(cut)")
            try restoreFile(killed)
        }
        for frame in frames {
            try killed.change { $0.replaceSubrange(frame..<frame + 512, with: Data(count: 512)) }
            try killed.expectNone(ids, "without the first sector of \(frame)")
            try restoreFile(killed)
            try killed.change { $0[frame + 2000] ^= 1 }
            try killed.expectNone(ids, "a spoilt sector of \(frame)")
            try restoreFile(killed)
        }
    }

    /// Its start has moved the log to the file.
    private func restoreFile(_ killed: Killed) throws {
        try killed.database.write(to: URL(filePath: killed.folder.data.database))
    }

    @Test("is not one whose turn ends before the frames of the turn before")
    func stale() throws {
        let killed = try Killed()
        // The log goes on from its begin, over what was moved.
        do {
            let connection = try Connection(path: killed.folder.data.database, mode: .write)
            try connection.checkpoint(.passive)
            try connection.transaction { () throws(StorageError) in
                try connection.setFact("probe", 1)
            }
            try connection.transaction { () throws(StorageError) in
                try connection.setFact("probe", 2)
            }
        }
        let log = try contents(of: killed.folder.data.wal)
        #expect(log.count == killed.log.count)
        #expect(log.prefix(32) != killed.log.prefix(32))
        #expect(log.suffix(4120) == killed.log.suffix(4120))
        let database = try contents(of: killed.folder.data.database)
        let all = (0..<5).map { "b-\($0)" }
        try killed.expectNone(all, "stale frames")
        try database.write(to: URL(filePath: killed.folder.data.database))
        // The first transaction of the turn is torn.
        var torn = log
        torn[32 + 2000] ^= 1
        torn = torn.prefix(32 + 4120) + killed.log.suffix(from: 32 + 4120)
        try killed.write(torn)
        try killed.expectNone(all, "stale frames behind a torn one")
        try database.write(to: URL(filePath: killed.folder.data.database))
        // The power went while the header of the turn was written.
        var header = killed.log
        header.replaceSubrange(0..<32, with: Data(repeating: 0xa5, count: 32))
        try killed.write(header)
        try killed.expectNone(all, "a torn header, all of the turn before moved")
    }

    @Test("is not one with pages that a rolled back transaction had put there")
    func rolledBack() throws {
        let killed = try Killed()
        let database = try contents(of: killed.folder.data.database)
        do {
            let connection = try Connection(
                path: killed.folder.data.database, mode: .write, cacheBytes: 64 << 10)
            func spill(_ value: Int) throws {
                try connection.execute("BEGIN IMMEDIATE")
                for number in 0..<100 {
                    try connection.setFact(
                        "f\(number)", [UInt8](repeating: UInt8(value), count: 3000))
                }
            }
            try spill(1)
            let before = try contents(of: killed.folder.data.wal).count
            #expect(before > killed.log.count + 40 * 4120)
            connection.rollBack()
            // Shorter ones take the place of some.
            for number in 0..<3 {
                try connection.transaction { () throws(StorageError) in
                    try connection.setFact("probe", Int64(number))
                }
            }
            #expect(try contents(of: killed.folder.data.wal).count == before)
        }
        let log = try contents(of: killed.folder.data.wal)
        #expect(try contents(of: killed.folder.data.database) == database)
        try killed.write(log)
        try killed.expectNone((0..<5).map { "b-\($0)" }, "rolled back")
    }

    @Test("brought back from a copy is looked at too")
    func copy() throws {
        let killed = try Killed()
        var bad = killed.log
        bad[killed.commits[1] + 100] ^= 1
        let sum = Hashing.sha256(Array(bad).span)
        try (bad + Data(sum.bytes)).write(to: URL(filePath: killed.folder.data.walCopy))
        var spoilt = bad
        spoilt[bad.count - 1] ^= 1
        try killed.write(spoilt)
        #expect(failure { _ = try Store.open(killed.folder.options) }?.kind == .badData)
        #expect(try contents(of: killed.folder.data.wal) == bad)
    }

    @Test("is not what is read of one beside a writer that begins it anew time and again")
    func beside() throws {
        let folder = TemporaryFolder()
        var options = folder.options
        options.limits.framesPerCheckpoint = 24
        options.limits.batchesPerCommit = 2
        options.limits.cacheBytes = 64 << 10
        let store = try Store.open(options)
        _ = try store.registry.addApp("shop")
        let isDone = Mutex(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let times = (0..<20).map { Batches.noon + Int64($0) }
            var number = 0
            while !isDone.withLock({ $0 }) {
                let some = (0..<4).map { place in
                    Batches.make("b-\(number + place)", device: place, times: times)
                }
                _ = store.writer.storeTogether(some)
                number += 4
            }
            ended.signal()
        }
        let reader = try store.reader()
        var looks = 0
        var headers: [WALHeader] = []
        let deadline = ContinuousClock.now + Patience.most
        while looks < 60 || headers.count < 5, ContinuousClock.now < deadline {
            if looks.isMultiple(of: 2) {
                try reader.snapshot { () throws(StorageError) in
                    _ = try reader.integer("SELECT count(*) FROM sqlite_schema")
                    #expect(try reader.walFault() == nil)
                }
            }
            // Also without a hold on the log.
            let log = try LayerFile(wal: folder.data.wal, makes: false)
            #expect(
                try WALCheck.run(log) { (number, page) throws(StorageError) in
                    try reader.readPage(number, into: &page)
                } == nil)
            if let header = try WALHeader(of: log), headers.last != header {
                headers.append(header)
            }
            looks += 1
        }
        isDone.withLock { $0 = true }
        ended.wait()
        #expect(looks >= 60 && headers.count >= 5, "\(looks) looks, \(headers.count) turns")
    }

    @Test("is not one of which a frame was half written when it was first read")
    func halfWritten() throws {
        let killed = try Killed()
        let place = killed.commits[2] + 2000
        try killed.change { $0[place] ^= 1 }
        let log = try LayerFile(wal: killed.folder.data.wal, makes: false)
        var chain = WALChain(try #require(try WALHeader(of: log)))
        try chain.resume(log)
        #expect(chain.end == killed.commits[2])
        try log.write([killed.log[place]], at: place)
        #expect(try chain.laterCommit(log) == killed.commits[2] + 4120)
        chain.rewind()
        #expect(chain.end <= killed.commits[2])
        try chain.resume(log)
        #expect(chain.end == killed.log.count)
    }
}
