import Dispatch
import Events
import Foundation
import Reports
import Storage
import Synchronization

/// A store, what was posted to it, and what it should therefore say.
final class ModelLife {
    private let root: String
    private var folders = 0
    private var store: Store
    private let zone: TimeZoneRules
    private let app: App
    /// Not posted yet.
    private var waiting: [SentBatch]
    /// What the store must have.
    private var model: [SentBatch] = []
    /// Copies, and what was in the store when each was made.
    private var copies: [(path: String, model: [SentBatch])] = []
    /// What was found wrong.
    private(set) var wrong: [String] = []

    /// Reports of what arrived, which batches that come again change.
    private static let byArrival: Set = ["quality", "rejects"]
    /// What a report asks for besides the app and the days.
    private static let asked: [String: [(name: String, value: String)]] = [
        "versions": [("dimension", "os.name")],
        "funnel": [("step", "session.start"), ("step", "screen.view"), ("step", "p")],
    ]

    init(_ random: inout SplitMix) throws {
        zone = try TimeZoneRules(name: random.pick(LawTests.zones))
        // Devices of several populations, so that there is enough to post.
        waiting = []
        for part in 0..<4 {
            for var batch in LawTests.population(&random, zone: zone) {
                batch.device += "-\(part)"
                waiting.append(batch)
            }
        }
        root = FileManager.default.temporaryDirectory.path + "/sojourn-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: root, withIntermediateDirectories: false)
        store = try Store(Self.options(root + "/0"))
        var change = AppChange()
        change.timeZone = zone.name
        change.sessionTimeout = 600_000
        app = try store.registry.addApp("shop", change)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: root)
    }

    private static func options(_ folder: String) -> Store.Options {
        var options = Store.Options(directory: DataDirectory(folder))
        options.limits.framesPerCheckpoint = 30
        options.limits.batchesPerCommit = 3
        options.limits.batchesPerGeneration = 8
        options.limits.keysPerSlice = 3
        options.now = { noon }
        return options
    }

    /// Batches that were not posted yet, at most so many.
    func fresh(_ count: Int, _ random: inout SplitMix) -> [SentBatch] {
        (0..<min(count, waiting.count)).map { _ in waiting.remove(at: random.next(waiting.count)) }
    }

    /// Batches that are there.
    func known(_ count: Int, _ random: inout SplitMix) -> [SentBatch] {
        model.isEmpty ? [] : (0..<count).map { _ in random.pick(model) }
    }

    /// Posts them at once; a batch may be among them more than once.
    func post(_ posts: [SentBatch]) {
        let outcomes = Mutex([WriteOutcome?](repeating: nil, count: posts.count))
        let waiting = DispatchGroup()
        for (place, batch) in posts.enumerated() {
            guard let accepted = try? AcceptedBatch(batch, app: app.id) else { continue }
            waiting.enter()
            let refusal = store.writer.submit(accepted) { outcome in
                outcomes.withLock { $0[place] = outcome }
                waiting.leave()
            }
            if refusal != nil { waiting.leave() }
        }
        waiting.wait()
        for (batch, outcome) in zip(posts, outcomes.withLock { $0 }) {
            let isKnown = model.contains { $0.device == batch.device && $0.id == batch.id }
            let right: WriteOutcome =
                isKnown ? .duplicate(accepted: batch.events.count, rejected: 0) : .stored
            if outcome != right { wrong.append("\(batch.id) is \(outcome as Any), not \(right)") }
            if !isKnown { model.append(batch) }
        }
    }

    /// Closes the store and opens it again.
    func restart() throws {
        try store.close()
        store = try Store(Self.options(store.directory.path))
    }

    /// Goes on with a copy of the files as they are: what a process finds that comes after `kill -9`.
    func crash() throws {
        // What runs after the answers has come to its end.
        try store.writer.perform { _ in }
        let old = store.directory.path
        folders += 1
        let new = root + "/\(folders)"
        try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
        for name in ["master.key", "sojourn.db", "sojourn.db-wal"] {
            guard FileManager.default.fileExists(atPath: old + "/" + name) else { continue }
            try FileManager.default.copyItem(atPath: old + "/" + name, toPath: new + "/" + name)
        }
        try store.close()
        store = try Store(Self.options(new))
    }

    func checkpoint() throws {
        try store.writer.perform { (connection) throws(StorageError) in
            _ = try connection.checkpoint(.truncate)
        }
    }

    /// Copies the store while it is open.
    func backUp() throws {
        let path = root + "/copy-\(copies.count)"
        _ = try Backup(
            of: store, .init(target: path, withKey: true, program: "test", now: noon)
        ).run()
        copies.append((path, model))
    }

    /// Goes on with what a copy brings back: what came after it is as if it had never come.
    func restore(_ random: inout SplitMix) throws {
        guard !copies.isEmpty else { return }
        let copy = random.pick(copies)
        folders += 1
        let new = root + "/\(folders)"
        _ = try Restore(from: copy.path, to: Self.options(new)).run()
        try store.close()
        store = try Store(Self.options(new))
        waiting += model.filter { batch in
            !copy.model.contains { $0.device == batch.device && $0.id == batch.id }
        }
        model = copy.model
    }

    /// Reads everything back and compares it with its checksums.
    func verify() throws {
        let outcome = try Verification(StoreReader(directory: store.directory)).run()
        if !outcome.isGood { wrong.append("verify: \(outcome.findings)") }
        if outcome.batches != model.count { wrong.append("verify read \(outcome.batches) batches") }
    }

    /// Asks for every report.
    func compare(_ random: inout SplitMix) throws {
        let wanted = try TestStore(model, timeZone: zone.name, timeout: 600_000)
        let reader = try store.reader()
        let from = CivilDate(number: 20_540 - random.next(30))
        let days = range(from.text, from.adding(days: random.next(60)).text)
        for report in ReportDefinition.all where !Self.byArrival.contains(report.name) {
            let pairs = days + (Self.asked[report.name] ?? [])
            let mine = try answer(report, pairs, ReportApp(app), reader)
            let right = try answer(report, pairs, wanted.app, wanted.connection)
            if mine != right { wrong.append("\(report.name): \(mine)\nnot \(right)") }
        }
        let twin = Twin(model, try wanted.question("active", days), filters: [:])
        let active = try ReportRunner.run(question(.named("active"), days, ReportApp(app)), reader)
        if active.rows.map(\.cells) != twin.active() { wrong.append("active is not its twin's") }
    }

    private func question(
        _ report: ReportDefinition, _ pairs: [(name: String, value: String)], _ app: ReportApp
    ) throws -> Question {
        try Question(
            report, ParameterList([(name: "app", value: app.name)] + pairs), app: app, now: noon,
            settings: ReportSettings(minGroup: 1))
    }

    private func answer(
        _ report: ReportDefinition, _ pairs: [(name: String, value: String)], _ app: ReportApp,
        _ connection: Connection
    ) throws -> String {
        let question = try question(report, pairs, app)
        guard case .lines = report.answer else {
            let text = try ReportRunner.run(question, connection).rendered(as: .json)
            return String(decoding: text, as: UTF8.self)
        }
        var pages = ExportPages(question)
        var out: [UInt8] = []
        while !pages.isDone { out += try pages.next(connection, limit: 900) }
        return String(decoding: out, as: UTF8.self)
    }
}
