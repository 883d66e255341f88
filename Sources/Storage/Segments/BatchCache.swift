import Synchronization

/// What was read of late of many batches at once, packed (`BatchScan`). Of any thread.
final class BatchCache: Sendable {
    /// An app's batches of one stretch of rows.
    struct Key: Hashable {
        let app: Int64
        let block: Int64
        /// How often something of the app was taken away: as long as nothing is taken away, batches stay as they are.
        let removals: Int64
    }

    private let state: Mutex<SizedCache<Key, [UInt8]>>

    /// - Parameters:
    ///   - octets: how many it holds at most
    ///   - room: what it has together with others
    init(octets: Int, room: CacheRoom) { state = Mutex(SizedCache(octets: octets, room: room)) }

    /// Forgets what was not asked for of late; all, where that is none.
    func forget() { state.withLock { $0.forget() } }

    /// Their octets; nil where they were not read of late.
    func block(_ key: Key) -> [UInt8]? { state.withLock { $0.value(key) } }

    /// Keeps octets for a while.
    func put(_ octets: [UInt8], _ key: Key) {
        state.withLock { $0.put(key, octets, size: octets.count) }
    }
}
