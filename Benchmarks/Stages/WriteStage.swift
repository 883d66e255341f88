import Dispatch
import Events
import Storage
import Upkeep

/// Accepted batches to disk, as many at a time as a busy server has waiting.
final class WriteStage {
    private static let underWay = 64

    private let store: Store
    private var batches: [AcceptedBatch]
    private var round = 0

    /// - Parameter folder: where a data directory is made; it must not be there.
    init(_ batches: [AcceptedBatch], folder: String) throws {
        store = try Store.open(Store.Options(directory: DataDirectory(folder)))
        let app = try store.registry.addApp(Pipeline.app)
        let key = try store.registry.addKey(
            name: "k1", app: Pipeline.app, profile: .aes128gcm, algorithm: nil,
            secret: [UInt8](repeating: 1, count: 32))
        self.batches = batches
        for place in batches.indices {
            self.batches[place].app = app.id
            self.batches[place].key = key.id
        }
    }

    /// Writes all of them, as other batches each time. Ends the program where one is not stored.
    func write() {
        round += 1
        let room = DispatchSemaphore(value: Self.underWay)
        for var batch in batches {
            batch.batchID += "-\(round)"
            room.wait()
            let refusal = store.writer.submit(batch) { outcome in
                guard outcome == .stored else { fatalError("not stored: \(outcome)") }
                room.signal()
            }
            guard refusal == nil else { fatalError("refused") }
        }
        for _ in 0..<Self.underWay { room.wait() }
        for _ in 0..<Self.underWay { room.signal() }
    }

    func close() throws { try store.close() }
}
