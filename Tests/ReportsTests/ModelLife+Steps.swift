import Events
import Foundation
import Query
import Reports
import StoreTestSupport
import TestSupport
import Testing

@testable import Database
@testable import Storage
@testable import Upkeep

extension ModelLife {
    /// Does something to store and model, some time after the last.
    func carryOut(_ step: ModelStep, _ random: inout SplitMix) throws {
        pass(&random)
        switch step {
        case .post: post(fresh(1, &random), &random)
        case .postTogether:
            var posts = fresh(1 + random.next(4), &random) + known(random.next(3), &random)
            posts += posts.filter { _ in random.next(3) == 0 }
            random.shuffle(&posts)
            post(posts, &random)
        case .postAgain: post(known(1, &random), &random)
        case .refuse: try refuse(&random)
        case .restart: try restart()
        case .crash: try crash()
        case .checkpoint: try checkpoint()
        case .prune: try prune(before: limit(&random))
        case .pruneInPieces: try pruneInPieces(&random)
        case .erase: try erase(&random)
        case .eraseAndCrash: try eraseAndCrash(&random)
        case .backUp: try backUp()
        case .restore: try restore(&random)
        case .makeAttributes: try makeAttributes()
        case .verify: try verify()
        case .compare: try compare(&random)
        }
    }

    /// Now and then it is soon after something happened, so that sessions are open.
    private func pass(_ random: inout SplitMix) {
        let times = sent.flatMap { $0.events.map(\.time) }.filter {
            $0 >= now && $0 < now + 3 * day
        }
        if random.next(2) == 0, !times.isEmpty {
            let later = random.pick([0, 1, 60_000, Self.timeout - 1, Self.timeout])
            clock.now.store(random.pick(times) + later, ordering: .relaxed)
        } else {
            clock.now.add(
                random.pick([1, 1000, 600_000, hour, 7 * hour, day, 2 * day]), ordering: .relaxed)
        }
        // A clock that is set back.
        if random.next(20) == 0 { clock.now.subtract(hour, ordering: .relaxed) }
    }

    /// Closes the store and opens it again.
    private func restart() throws {
        story.append("restart")
        try store.close()
        try open(store.directory.path)
    }

    /// Goes on with a copy of the files as they are: what a process finds that comes after `kill -9`.
    private func crash() throws {
        story.append("crash")
        // What runs after the answers has come to its end.
        try store.writer.perform { _ in }
        let (old, new) = (store.directory.path, newFolder())
        try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
        for name in ["master.key", "erased", "sojourn.db", "sojourn.db-wal"] {
            guard FileManager.default.fileExists(atPath: old + "/" + name) else { continue }
            try FileManager.default.copyItem(atPath: old + "/" + name, toPath: new + "/" + name)
        }
        try store.close()
        try open(new)
    }

    private func checkpoint() throws {
        story.append("checkpoint")
        try store.writer.perform { (connection) throws(StorageError) in
            _ = try connection.checkpoint(.truncate)
        }
    }

    // MARK: - prune

    /// Something up to now; now and then just where an event lies.
    private func limit(_ random: inout SplitMix) -> Int64 {
        let times = Twin.events(of: state.batches).map(\.event.time).filter { $0 < now }.sorted()
        if random.next(2) == 0, !times.isEmpty {
            // Rather one of the older ones, or nothing would be left.
            return times[random.next(1 + random.next(times.count))] + Int64(random.next(2))
        }
        return now - random.pick([0, Self.timeout, hour, day, 10 * day, 30 * day, 60 * day])
    }

    private func prune(before limit: Int64) throws {
        story.append("prune before \(limit) at \(now)")
        let right = state.prune(before: limit, now: now, timeout: Self.timeout)
        let pruned = try store.prune(before: limit)
        let isRight =
            pruned.events == right.events && pruned.names == right.names && pruned.damaged == 0
        if !isRight || !pruned.isWhole { wrong.append("\(pruned), not \(right)") }
    }

    /// Every session from before the limit has ended, whatever of it is left: so the pieces are the
    /// whole.
    private func pruneInPieces(_ random: inout SplitMix) throws {
        let limit = min(limit(&random), now - Self.timeout)
        let most = random.next(12)
        story.append("prune before \(limit) at \(now), stopped when asked \(most) times")
        let right = state.prune(before: limit, now: now, timeout: Self.timeout)
        var asked = 0
        let first = try store.prune(
            before: limit,
            shouldStop: {
                asked += 1
                return asked > most
            })
        if random.next(2) == 0 { try crash() }
        let second = try store.prune(before: limit)
        let isRight =
            first.events + second.events == right.events
            && first.names + second.names == right.names
        if !isRight || !second.isWhole { wrong.append("\(first), \(second), not \(right)") }
    }

    // MARK: - erasure

    private func erase(_ random: inout SplitMix) throws {
        let device = random.pick(random.next(6) == 0 ? sent.map(\.device) : state.devices + ["-"])
        story.append("erase \(device) at \(now)")
        let right = state.erase(device, now: now)
        let erased = try store.erase(hash(device), of: app)
        receipts.formUnion(state.receipts)
        if erased != right { wrong.append("\(erased as Any), not \(right as Any)") }
        try lookForErased()
    }

    /// The process ends when the receipt is written, or some steps later; the next one does the rest.
    private func eraseAndCrash(_ random: inout SplitMix) throws {
        guard !state.devices.isEmpty else { return }
        let device = random.pick(state.devices)
        let steps = random.next(5)
        story.append("erase \(device) at \(now), the receipt and \(steps) steps of it")
        let newest = state.batches.filter { $0.device == device }.map(\.receivedAt).max()
        _ = state.erase(device, now: now)
        receipts.formUnion(state.receipts)
        if steps == 0 {
            let receipt = ErasureReceipt(
                app: app.name, device: try hash(device), moment: max(now, newest ?? 0) + 1)
            _ = try ErasureReceipts.append([receipt], to: store.directory.erased)
        } else {
            let row = try #require(try store.detach(hash(device), of: app))
            try takeApart(row, steps: steps - 1)
        }
        try crash()
        try lookForErased()
    }

    private func takeApart(_ row: Int64, steps: Int) throws {
        let reader = try store.reader()
        let run = Erasure(
            reader: reader, rebuilds: nil, steps: CountedSteps(writer: store.writer, left: steps))
        do throws(StorageError) {
            _ = try run.finish(row, .candidates(of: row, reader))
        } catch {
            guard error.isClosed else { throw error }
        }
    }

    func hash(_ device: String) throws -> DeviceHash {
        try #require(DeviceHash(TestStore.hash(of: device)))
    }

    /// Nothing of a device that is not there may be in any file.
    private func lookForErased() throws {
        let path = store.directory.path
        let files = try FileManager.default.contentsOfDirectory(atPath: path).compactMap {
            FileManager.default.contents(atPath: path + "/" + $0)
        }
        for device in Set(sent.map(\.device)).subtracting(state.devices).sorted() {
            let mark = Data(Self.mark(of: device).utf8)
            if files.contains(where: { $0.range(of: mark) != nil }) {
                wrong.append("something of \(device) is left in a file")
            }
        }
    }

    // MARK: - copies

    /// Copies the store while it is open.
    private func backUp() throws {
        story.append("back up as copy \(copies.count)")
        let path = root + "/copy-\(copies.count)"
        let manifest = try Backup(
            of: store, .init(target: path, withKey: true, program: "test", now: now)
        ).run()
        copies.append((path, state))
        let events = Twin.events(of: state.batches).count
        if manifest.batches != state.batches.count || manifest.events != events
            || manifest.devices != state.devices.count
        {
            wrong.append("the manifest says \(manifest)")
        }
    }

    /// Goes on with what a copy brings back: what came after it is as if it had never come, but for
    /// receipts of erasures, where they are still there.
    private func restore(_ random: inout SplitMix) throws {
        guard !copies.isEmpty else { return }
        let number = random.next(copies.count)
        // None, those that are there, or all that somebody has kept.
        let others = random.pick([[], state.receipts, receipts])
        story.append("restore copy \(number) beside \(others.count) receipts")
        let new = newFolder()
        if !others.isEmpty {
            try FileManager.default.createDirectory(
                atPath: new, withIntermediateDirectories: false)
            let list = try others.map {
                ErasureReceipt(app: app.name, device: try hash($0.device), moment: $0.moment)
            }
            try ErasureReceipts.write(list, to: new + "/erased")
        }
        state = copies[number].state
        let right = state.replay(others)
        let outcome = try Restore(from: copies[number].path, to: options(new)).run()
        if outcome.erased != right { wrong.append("\(outcome.erased ?? -1) erased, not \(right)") }
        try store.close()
        try open(new)
        try lookForErased()
    }

    /// Gives segments their attributes in columns.
    private func makeAttributes() throws {
        story.append("make columns of attributes")
        var refused: Set<AttributeBlocks.Missing> = []
        _ = try store.makeAttributeBlocks(
            on: store.reader(), leavingOut: &refused, while: { true })
        if !refused.isEmpty { wrong.append("no columns for segments \(refused.map(\.id))") }
    }

    /// Reads everything back and compares it with its checksums.
    private func verify() throws {
        story.append("verify")
        let outcome = try Verification(store.directory).run()
        if !outcome.isGood { wrong.append("verify: \(outcome.findings)") }
        if outcome.batches != state.batches.count || outcome.devices != state.devices.count
            || outcome.events != Twin.events(of: state.batches).count
        {
            wrong.append("verify read \(outcome)")
        }
        try lookForErased()
    }
}

/// The first steps of an erasure: the next one never comes.
private final class CountedSteps: StepRunner {
    private let writer: StoreWriter
    private var left: Int

    init(writer: StoreWriter, left: Int) { (self.writer, self.left) = (writer, left) }

    func step<T: Sendable>(
        keeping: WriterMemory, _ work: @Sendable (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> (result: T, time: SliceTime) {
        if left == 0 { throw .closed }
        left -= 1
        return try writer.step(keeping: keeping, work)
    }
}
