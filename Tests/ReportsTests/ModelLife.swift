import Dispatch
import Events
import Foundation
import Query
import Reports
import StoreTestSupport
import Synchronization
import TestSupport
import TimeZones

@testable import Storage

/// A store, what was done to it, and what it should therefore say.
final class ModelLife {
    let root: String
    private var folders = 0
    var store: Store
    let zone: TimeZoneRules
    private(set) var app: App
    private var keys: [String: Int64] = [:]
    let clock = Clock()
    /// All batches that devices have, as they were made: posted or not.
    let sent: [SentBatch]
    /// What the store must have.
    var state = ModelState()
    /// Copies, and what was in the store when each was made.
    var copies: [(path: String, state: ModelState)] = []
    /// Of all erasures, also those that a restore knows nothing of.
    var receipts: Set<ModelState.Receipt> = []
    /// What each version of an answer was (docs/reports.md, Caching by ETag).
    var answers: [[UInt8]: String] = [:]
    /// As a process remembers them.
    private(set) var environment = ReportEnvironment()
    /// What was done, a line each.
    var story: [String] = []
    /// What was found wrong.
    var wrong: [String] = []

    static let timeout: Int64 = 600_000

    final class Clock: Sendable {
        let now = Atomic(noon - 10 * day)
    }

    var now: Int64 { clock.now.load(ordering: .relaxed) }

    init(_ random: inout SplitMix) throws {
        zone = try TimeZoneRules(name: random.pick(LawTests.zones))
        // Devices of several populations, so that there is enough to post.
        var sent: [SentBatch] = []
        for part in 0..<5 {
            let population =
                part % 2 == 0
                ? LawTests.population(&random, zone: zone)
                : BehaviourLawTests.population(&random, zone: zone)
            for var batch in population {
                batch.device += "-\(part)"
                // So that a search through the file tells whether something of the device is left.
                batch.id += Self.mark(of: batch.device)
                batch.sequence = random.pick([nil, 1, 2, 3, 5, 9, 10_005] as [Int64?])
                batch.dropped = Int64(random.next(3))
                batch.profile = Int64(1 + random.next(4))
                batch.key = random.pick([nil, "k-a", "k-b", "k-Z"] as [String?])
                batch.clockShift = random.pick([0, 0, 70_000, -70_000])
                sent.append(batch)
            }
        }
        self.sent = sent
        root = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: false)
        store = try Store.open(Self.options(root + "/0", clock))
        var change = AppChange()
        change.timeZone = zone.name
        change.sessionTimeout = Self.timeout
        app = try store.registry.addApp("shop", change)
        for name in ["k-b", "k-a", "k-Z"] {
            keys[name] = try store.registry.addKey(
                name: name, app: app.name, profile: .aes128gcm, algorithm: nil,
                secret: Array(repeating: 7, count: 16)
            ).id
        }
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: root)
    }

    static func mark(of device: String) -> String { "~\(device)~" }

    private static func options(_ folder: String, _ clock: Clock) -> Store.Options {
        var options = Store.Options(directory: DataDirectory(folder))
        options.limits.framesPerCheckpoint = 30
        options.limits.batchesPerCommit = 3
        options.limits.batchesPerGeneration = 8
        options.limits.keysPerSlice = 3
        options.limits.eventsPerSegment = 20
        options.now = { clock.now.load(ordering: .relaxed) }
        return options
    }

    func options(_ folder: String) -> Store.Options { Self.options(folder, clock) }

    /// Where nothing is yet.
    func newFolder() -> String {
        folders += 1
        return root + "/\(folders)"
    }

    /// Goes on with another process.
    func open(_ folder: String) throws {
        store = try Store.open(options(folder))
        environment = ReportEnvironment()
    }

    // MARK: - batches

    /// Batches that are not there, at most so many.
    func fresh(_ count: Int, _ random: inout SplitMix) -> [SentBatch] {
        var waiting = sent.filter { state.place(of: $0) == nil }
        return (0..<min(count, waiting.count)).map { _ in
            waiting.remove(at: random.next(waiting.count))
        }
    }

    /// Batches that are there.
    func known(_ count: Int, _ random: inout SplitMix) -> [SentBatch] {
        state.batches.isEmpty ? [] : (0..<count).map { _ in random.pick(state.batches) }
    }

    /// Posts them at once; a batch may be among them more than once.
    func post(_ posts: [SentBatch], _ random: inout SplitMix) {
        let posts = posts.enumerated().map { place, batch in
            judged(batch, at: now + Int64(place), &random)
        }
        let outcomes = Mutex([WriteOutcome?](repeating: nil, count: posts.count))
        let waiting = DispatchGroup()
        for (place, batch) in posts.enumerated() {
            guard let accepted = try? AcceptedBatch(batch, app: app.id, keys: keys) else {
                continue
            }
            waiting.enter()
            let refusal = store.writer.submit(accepted) { outcome in
                outcomes.withLock { $0[place] = outcome }
                waiting.leave()
            }
            if refusal != nil { waiting.leave() }
        }
        waiting.wait()
        for (batch, outcome) in zip(posts, outcomes.withLock { $0 }) {
            var right = WriteOutcome.stored
            if let place = state.place(of: batch) {
                let first = state.batches[place]
                right = .duplicate(
                    accepted: first.events.count, rejected: first.rejected.count)
                state.countRepeat(
                    ofBatchAt: place, at: batch.receivedAt, bytes: batch.bytes)
            } else {
                state.store(batch)
            }
            story.append("post \(batch.device) \(batch.id) at \(batch.receivedAt): \(right)")
            if outcome != right { wrong.append("\(batch.id) is \(outcome as Any), not \(right)") }
        }
    }

    /// What Ingest makes of a batch: events from before the last prune's limit are not taken, unless
    /// they were judged just before it.
    private func judged(
        _ batch: SentBatch, at time: Int64, _ random: inout SplitMix
    ) -> SentBatch {
        var judged = batch
        judged.receivedAt = time
        judged.bytes = Int64(random.next(1000))
        judged.repeats = []
        judged.pruned = []
        judged.rejected = (0..<random.next(3)).map { _ in
            random.pick(["invalid-name", "invalid-time", "a"])
        }
        guard let limit = state.prunedBefore, random.next(8) > 0 else { return judged }
        judged.events.removeAll { $0.time < limit }
        let old = batch.events.count - judged.events.count
        judged.rejected += Array(repeating: "time-out-of-range", count: old)
        return judged
    }

    func refuse(_ random: inout SplitMix) throws {
        let code = random.pick(["unauthorized", "a"])
        story.append("refuse \(code) at \(now)")
        state.refuse(code, at: now)
        try store.writer.add([
            RefusalCount(
                app: app.id, quarter: QuarterHour.number(of: now), code: code, batches: 1)
        ])
    }
}
