import Dispatch
import Events
import StoreTestSupport
import Synchronization
import TestSupport

@testable import Storage

/// A short, busy life of a store: threads that post batches, among them repeats; groups; long and short
/// logs; changes of the registry; counted refusals; a restart.
struct Workload {
    var seed: UInt64
    /// Turns of posting.
    var rounds = 8
    /// After which turns the store is closed and opened again.
    var restarts: Set<Int> = [4]
    /// Every other turn somebody reads meanwhile, and stops midway what is moved of the log.
    var hasReaders = true

    /// The app of all batches, and the key that some of them come under.
    private static let app = "shop"

    /// - Parameter history: is told of failures.
    static func options(_ folder: TemporaryFolder, _ history: History? = nil) -> Store.Options {
        var options = folder.options
        options.observer.failed = { history?.failed("\($0.error)") }
        options.limits.batchesPerCommit = 4
        options.limits.framesPerCheckpoint = 24
        options.limits.framesMovedBeside = 8
        // Pages leave it in the middle of a transaction.
        options.limits.cacheBytes = 64 << 10
        return options
    }

    /// A closed store with the app and its key, made once: what it waits for a real disk it waits once.
    private static let prepared = Result { () throws -> DiskModel.Image in
        let folder = TemporaryFolder()
        let store = try Store.open(options(folder))
        _ = try store.registry.addApp(app)
        _ = try store.registry.addKey(
            name: "k1", app: app, profile: .aes128gcm, algorithm: nil,
            secret: Array(repeating: 7, count: 16))
        try store.close()
        var image: DiskModel.Image = [:]
        for name in try folder.names() {
            image[name] = Array(try contents(of: folder.data.path + "/" + name))
        }
        return image
    }

    /// A folder with a store, before anything goes wrong.
    static func prepare() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try DiskModel.write(prepared.get(), to: folder.data.path)
        return folder
    }

    /// Lives it. What fails is not posted again.
    /// - Returns: the store, open, unless it could not be opened again after a restart.
    func run(in folder: TemporaryFolder, on disk: FaultDisk, _ history: History) -> Store? {
        var random = SplitMix(seed: seed)
        var store = try? Store.open(Self.options(folder, history))
        for round in 0..<rounds {
            guard let open = store else { return nil }
            let posts = makePosts(round, history, &random)
            let reader = hasReaders && round % 2 == 1 ? try? open.reader() : nil
            try? reader?.execute("BEGIN; SELECT count(*) FROM batch")
            post(posts, to: open, history, disk)
            try? reader?.execute("ROLLBACK")
            if round % 3 == 1 { administrate(open, history, disk) }
            if round % 4 == 2 { refuse(round, open, history, disk) }
            if restarts.contains(round) {
                try? open.close()
                store = nil
                store = try? Store.open(Self.options(folder, history))
            }
        }
        return store
    }

    typealias Post = (name: BatchName, batch: AcceptedBatch)

    /// Fresh batches and repeats of this and earlier turns, shuffled.
    private func makePosts(
        _ round: Int, _ history: History, _ random: inout SplitMix
    ) -> [Post] {
        var posts: [Post] = (0..<Int.random(in: 2...5, using: &random)).map { place in
            // Devices have each their own batch of one id.
            let name = BatchName(
                device: Int.random(in: 1...5, using: &random), id: "b\(round)-\(place / 2)-\(place)"
            )
            return (name, makeBatch(name, &random))
        }
        let earlier = history.sent.sorted { $0.key < $1.key }
        for _ in 0..<2 where !earlier.isEmpty {
            let (name, batch) = earlier[Int.random(in: 0..<earlier.count, using: &random)]
            posts.append((name, batch))
        }
        // In one group with its first.
        posts.append(posts[Int.random(in: 0..<posts.count, using: &random)])
        posts.shuffle(using: &random)
        return posts
    }

    private func makeBatch(_ name: BatchName, _ random: inout SplitMix) -> AcceptedBatch {
        let count = [0, 1, 3, 12, 61][Int.random(in: 0..<5, using: &random)]
        let times = (0..<count).map { _ in
            Batches.noon + Int64.random(in: -100_000...100_000, using: &random)
        }
        let rejected = random.oneIn(3) ? 2 : 0
        var batch = Batches.make(
            name.id, device: name.device, times: times, shared: random.oneIn(20),
            version: random.oneIn(4) ? "2.0" : "1.0",
            name: ["screen.view", "p.\(name.id)"][random.oneIn(4) ? 1 : 0], rejected: rejected)
        if rejected > 0 {
            batch.rejectionCounts = [
                RejectionCount(code: "invalid-name", count: rejected, firstIndex: 8)
            ]
        }
        batch.key = random.oneIn(2) ? 1 : nil
        return batch
    }

    /// From three threads while the writer is held up, so that they meet in groups.
    private func post(
        _ posts: [Post], to store: Store, _ history: History, _ disk: FaultDisk
    ) {
        let waiting = DispatchGroup()
        let hold = store.writer.hold()
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            for place in stride(from: thread, to: posts.count, by: 3) {
                let (name, batch) = posts[place]
                history.sending(name, batch)
                waiting.enter()
                let refusal = store.writer.submit(batch) { outcome in
                    history.answered(.batch(name, outcome), on: disk)
                    waiting.leave()
                }
                if refusal != nil { waiting.leave() }
            }
        }
        hold.release()
        waiting.wait()
    }

    private func administrate(_ store: Store, _ history: History, _ disk: FaultDisk) {
        guard let made = try? store.registry.addToken(scope: .report, app: Self.app) else { return }
        history.answered(.token(made.token.name), on: disk)
    }

    private func refuse(
        _ round: Int, _ store: Store, _ history: History, _ disk: FaultDisk
    ) {
        let count = RefusalCount(app: 1, quarter: 7, code: "undecodable", batches: Int64(round + 1))
        history.refusing(round + 1)
        guard (try? store.writer.add([count])) != nil else { return }
        history.answered(.refusals(round + 1), on: disk)
    }
}
