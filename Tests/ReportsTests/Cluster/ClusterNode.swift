import Database
import Engine
import Foundation
import Query
import StoreTestSupport
import Synchronization

@testable import Forwarding
@testable import Storage
@testable import Upkeep

/// A node with a real database, of which each step of its forwarder is told when to run.
final class ClusterNode {
    let name: String
    private(set) var store: Store
    private(set) var app: App
    private(set) var keys: [String: Int64] = [:]
    private let engine: EngineServers
    private let root: String
    private let now: @Sendable () -> Int64
    private var folders = 0
    private var round: HandOverRound?
    private let cut = Cut()

    /// Ends a request when it was looked so often for its answer.
    private final class Cut: Sendable {
        let looks = Atomic(Int.max)

        /// Nil: none is ended.
        func set(_ looks: Int?) { self.looks.store(looks ?? .max, ordering: .relaxed) }

        func check() throws(EngineError) {
            if looks.subtract(1, ordering: .relaxed).newValue < 0 {
                throw EngineError(.interrupted, "cut")
            }
        }
    }

    init(
        _ name: String, in root: String, of engine: EngineServers, zone: String, timeout: Int64,
        now: @escaping @Sendable () -> Int64
    ) throws {
        (self.name, self.engine, self.now) = (name, engine, now)
        self.root = root + "/" + name
        try FileManager.default.createDirectory(
            atPath: self.root, withIntermediateDirectories: false)
        store = try Store.open(Self.options(self.root + "/0", now))
        app = try store.registry.addApp("shop", AppChange(timeZone: zone, sessionTimeout: timeout))
        for name in ["k-b", "k-a", "k-Z"] {
            keys[name] = try store.registry.addKey(
                name: name, app: app.name, profile: .aes128gcm, algorithm: nil,
                secret: Array(repeating: 7, count: 16)
            ).id
        }
    }

    deinit { try? store.close() }

    private static func options(
        _ folder: String, _ now: @escaping @Sendable () -> Int64
    ) -> Store.Options {
        var options = Store.Options(directory: DataDirectory(folder))
        options.limits.framesPerCheckpoint = 30
        options.limits.batchesPerCommit = 3
        options.limits.batchesPerGeneration = 8
        options.limits.keysPerSlice = 3
        options.limits.eventsPerSegment = 20
        options.limits.notesChanges = true
        options.now = now
        return options
    }

    private func newFolder() -> String {
        folders += 1
        return root + "/\(folders)"
    }

    // MARK: - hand-over

    /// Hands over until nothing is left.
    /// - Parameter looks: after so many looks for an answer what is asked then is given up: whether the engine did
    ///   it nobody knows; nil: never
    /// - Returns: whether it came to its end
    func handOver(cutAfter looks: Int? = nil) throws -> Bool {
        cut.set(looks)
        defer { cut.set(nil) }
        do {
            let round = try currentRound()
            while try round.run(isUrged: true, { _ in }) {}
            return true
        } catch ForwardingError.engine(let error) where error.kind == .interrupted {
            return false
        }
    }

    private func currentRound() throws -> HandOverRound {
        if let round { return round }
        let session = try EngineSession(engine) { [cut] () throws(EngineError) in try cut.check() }
        var options = ForwarderOptions(node: name, interval: 1000, now: now)
        options.time = { [now] in NodeTime(wall: now(), uptime: now()) }
        // Often there are several, of which one is read while another is on its way.
        options.unitLimit.batches = 5
        let round = try HandOverRound(store, session, options, ForwarderObserver(), MarkResets())
        self.round = round
        return round
    }

    /// What arrived, or was handed over, from a moment on is handed over again: `forward --again --since`.
    func forwardAgain(from moment: Int64?) throws {
        try HandOverMarks.again(from: moment, store)
        forgetRound()
    }

    /// The forwarder begins with what is written down.
    func forgetRound() { round = nil }

    /// Drops what was handed over at a moment or before.
    /// - Returns: whether something was there to drop
    func emptySpool(handedOverBy moment: Int64) throws -> Int {
        let last = try HandOverMarks.last(at: moment, store.reader())
        return last > 0 ? try store.emptySpool(upTo: last).batches : 0
    }

    // MARK: - ends and copies

    /// Closes it and goes on with another process.
    func restart() throws {
        forgetRound()
        try store.close()
        try open(store.directory.path)
    }

    /// Goes on with the files as they are: what a process finds that comes after `kill -9`.
    func crash() throws {
        forgetRound()
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

    /// A copy of it, while it is open.
    func backUp() throws -> String {
        let path = newFolder()
        _ = try Backup(
            of: store, .init(target: path, withKey: true, program: "test", now: now())
        ).run()
        return path
    }

    /// Goes on with what a copy brings back, alone.
    func restore(_ path: String) throws {
        let new = newFolder()
        _ = try Restore(from: path, to: Self.options(new, now)).run()
        forgetRound()
        try store.close()
        try open(new)
    }

    private func open(_ folder: String) throws {
        store = try Store.open(Self.options(folder, now))
    }

    /// Whether a text is in any of its files.
    func hasFiles(with text: String) throws -> Bool {
        let path = store.directory.path
        let mark = Data(text.utf8)
        return try FileManager.default.contentsOfDirectory(atPath: path).contains { name in
            FileManager.default.contents(atPath: path + "/" + name)?.range(of: mark) != nil
        }
    }
}
