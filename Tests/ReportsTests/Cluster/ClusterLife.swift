import Dispatch
import Engine
import EngineQuery
import EngineTestSupport
import Events
import Foundation
import Query
import Reports
import StoreTestSupport
import Synchronization
import TestSupport
import TimeZones

@testable import Storage

/// Nodes and their engine, what was done to them, and what all of it should therefore say.
final class ClusterLife {
    /// A node's copy, and what was in it.
    struct Backup {
        let node: Int
        let path: String
        let held: [SentBatch]
    }

    let engine: TestEngine
    let nodes: [ClusterNode]
    let zone: TimeZoneRules
    private let root: String
    private let clock = Clock()
    /// All batches that devices have, as they were made: posted or not.
    let sent: [SentBatch]
    /// What nodes and engine must have.
    var state = ClusterState()
    /// Devices that were erased and have not come again.
    var erased: Set<String> = []
    /// By node, devices whose erasure it has not carried out yet: what comes there meanwhile is in doubt.
    private var erasing: [Set<String>] = [[], [], []]
    var backups: [Backup] = []
    /// A copy of the engine; what arrived, or was handed over, from that moment on it may lack.
    var engineCopy: (copy: EngineCopy, moment: Int64)?
    /// A node was put back: its counts of repeats and refusals may be low from then on (docs/scale.md).
    var countsMayBeLow = false
    /// What was done, a line each.
    var story: [String] = []
    /// What was found wrong.
    var wrong: [String] = []

    static let timeout: Int64 = 600_000

    private final class Clock: Sendable {
        let now = Atomic(noon - 10 * day)
    }

    var now: Int64 { clock.now.load(ordering: .relaxed) }

    init(_ engine: TestEngine, _ random: inout SplitMix) throws {
        self.engine = engine
        zone = try TimeZoneRules(name: random.pick(LawTests.zones))
        root = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        var nodes: [ClusterNode] = []
        for name in ["a", "b", "c"] {
            let clock = clock
            nodes.append(
                try ClusterNode(
                    name, in: root, of: engine.servers, zone: zone.name, timeout: Self.timeout
                ) { clock.now.load(ordering: .relaxed) })
        }
        self.nodes = nodes
        var sent: [SentBatch] = []
        for part in 0..<4 {
            let population =
                part % 2 == 0
                ? LawTests.population(&random, zone: zone)
                : BehaviourLawTests.population(&random, zone: zone)
            for var batch in population {
                batch.device += "-\(part)"
                batch.id += ModelLife.mark(of: batch.device)
                batch.sequence = random.pick([nil, 1, 2, 3, 5, 9, 10_005] as [Int64?])
                batch.dropped = Int64(random.next(3))
                batch.profile = Int64(1 + random.next(4))
                batch.key = random.pick([nil, "k-a", "k-b", "k-Z"] as [String?])
                batch.clockShift = random.pick([0, 0, 70_000, -70_000])
                sent.append(batch)
            }
        }
        self.sent = sent
        for table in EngineCopy.tables { try engine.change("TRUNCATE TABLE \(table)") }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    // MARK: - time

    /// Time goes on.
    func pass(_ milliseconds: Int64) { clock.now.add(milliseconds, ordering: .relaxed) }

    // MARK: - batches

    /// A batch comes to a node: at a moment of its own, since of two copies the earlier one counts.
    func post(_ batch: SentBatch, at node: Int, _ random: inout SplitMix) throws {
        if erasing[node].contains(batch.device) { return }
        pass(1)
        let batch = judged(batch, &random)
        let accepted = try AcceptedBatch(batch, app: nodes[node].app.id, keys: nodes[node].keys)
        let right = state.post(batch, at: node)
        story.append("post \(batch.device) \(batch.id) to \(node) at \(now): \(right)")
        let outcome = nodes[node].store.writer.storeAlone(accepted)
        if outcome != right {
            wrong.append("\(batch.id) at \(node) is \(outcome as Any), not \(right)")
        }
        erased.remove(batch.device)
    }

    /// What Ingest makes of a batch.
    private func judged(_ batch: SentBatch, _ random: inout SplitMix) -> SentBatch {
        var judged = batch
        judged.receivedAt = now
        judged.bytes = Int64(random.next(1000))
        judged.repeats = []
        judged.pruned = []
        judged.rejected = (0..<random.next(3)).map { _ in
            random.pick(["invalid-name", "invalid-time", "a"])
        }
        guard let limit = state.prunedBefore else { return judged }
        judged.events.removeAll { $0.time < limit }
        let old = batch.events.count - judged.events.count
        judged.rejected += Array(repeating: "time-out-of-range", count: old)
        return judged
    }

    // MARK: - hand-over

    /// A node hands over what it has.
    /// - Returns: whether it came to its end
    @discardableResult
    func handOver(_ node: Int, cutAfter looks: Int? = nil) throws -> Bool {
        let isDone = try nodes[node].handOver(cutAfter: looks)
        if isDone {
            erasing[node] = []
        } else if looks == nil {
            wrong.append("\(node) was cut off")
        }
        return isDone
    }

    /// A device is erased at all nodes.
    func erase(_ device: String, before moment: Int64) {
        state.erase(device, before: moment)
        erased.insert(device)
        for node in nodes.indices { erasing[node].insert(device) }
    }

    // MARK: - answers

    /// Hands over all that any node has, and asks for every report.
    func compare(_ random: inout SplitMix) throws {
        story.append("compare at \(now)")
        try settle()
        let alone = state.alone
        let wanted = try TestStore(alone.batches, timeZone: zone.name, timeout: Self.timeout)
        try wanted.keep(alone.facts)
        for (code, time) in alone.refused { try wanted.refuse(code, at: time) }
        let questions = ModelQuestions(&random)
        for report in ReportDefinition.all {
            if case .device = report.shape { continue }
            if countsMayBeLow, ["quality", "rejects"].contains(report.name) { continue }
            for pairs in [questions.some(report, &random), ModelQuestions.fixed(report)] {
                let question = try ModelQuestions.question(report, pairs, wanted.app, now: now)
                note(
                    "\(report.name) \(pairs)", try answer(question, EngineQueries(engine.reading)),
                    try answer(question, SegmentQueries(wanted.connection)))
            }
        }
        try compareRecord(of: random.pick(sent).device, wanted)
        try lookForErased()
    }

    /// Twice: what one node announces others carry out.
    private func settle() throws {
        for _ in 0..<2 { for node in nodes.indices { try handOver(node) } }
    }

    private func answer(_ question: Question, _ queries: some Queries) throws -> String {
        guard case .lines = question.definition.shape else {
            return try ReportRunner.run(question, queries).json
        }
        return Self.withoutCursors(
            try ModelQuestions.text(of: ExportLines(question)) { (pages) throws in
                try pages.text(queries, limit: 900)
            })
    }

    /// Cursors are each database's own.
    private static func withoutCursors(_ lines: String) -> String {
        lines.replacing(/"cursor":"[^"]*"/, with: "")
    }

    private func compareRecord(of device: String, _ wanted: TestStore) throws {
        let report = try ReportDefinition.named("devices")
        let hash = try hash(device)
        func lines(_ queries: some Queries) throws -> String {
            let question = try ModelQuestions.question(report, [], wanted.app, now: now)
            guard try queries.hasDevice(hash, of: wanted.app) else { return "unknown" }
            return Self.withoutCursors(
                try ModelQuestions.text(of: ExportLines(of: hash, question)) { (pages) throws in
                    try pages.text(queries, limit: 900)
                })
        }
        note(
            "the record of \(device)", try lines(EngineQueries(engine.reading)),
            try lines(SegmentQueries(wanted.connection)))
    }

    /// Nothing of a device that was erased may be in any table or file.
    private func lookForErased() throws {
        for device in erased.sorted() {
            let mark = ModelLife.mark(of: device)
            for node in nodes where try node.hasFiles(with: mark) {
                wrong.append("something of \(device) is left in a file of \(node.name)")
            }
            for table in ["batch", "arrival"] {
                let answers = try engine.session.sendToAll(
                    .read(
                        "SELECT toUInt8(count() > 0) FROM \(table) "
                            + "WHERE position(batch_id, '\(mark)') > 0"))
                if answers.contains([1]) {
                    wrong.append("something of \(device) is left in the engine's \(table)")
                }
            }
        }
    }

    func hash(_ device: String) throws -> DeviceHash {
        guard let hash = DeviceHash(TestStore.hash(of: device)) else { throw NoHash() }
        return hash
    }

    private struct NoHash: Error {}

    private func note(_ name: String, _ mine: String, _ right: String) {
        guard mine != right else { return }
        let same = zip(mine.utf8, right.utf8).prefix { $0 == $1 }.count
        let from = max(0, same - 300)
        func part(_ text: String) -> String {
            String(decoding: text.utf8.dropFirst(from).prefix(900), as: UTF8.self)
        }
        wrong.append("\(name) from byte \(from): \(part(mine))\nnot \(part(right))")
    }
}
