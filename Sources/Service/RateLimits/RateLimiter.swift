import Events
import Sockets
import Synchronization

/// How many batches a second are taken from one device, and of one key or token (docs/operation.md,
/// Rate limits). One lock, held for a look-up: it exists only where `rate-limit` is set, and the
/// writer's queue has one for each batch too.
final class RateLimiter: Sendable {
    /// How many buckets are remembered.
    static let mostBuckets = 100_000
    /// What a key or token may, in devices.
    static let devicesOfCredential = 100

    private let buckets: Mutex<BucketTable>
    private let perSecond: Int64
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - perSecond: batches of a device, at least 1
    ///   - clock: nanoseconds, never set back
    init(
        perSecond: Int, most: Int = mostBuckets,
        clock: @escaping @Sendable () -> Int64 = Clock.system.monotonic
    ) {
        self.perSecond = Int64(max(1, min(perSecond, 1_000_000)))
        self.clock = clock
        buckets = Mutex(BucketTable(most: most))
    }

    /// Whether one more batch of that device may be taken now; it counts if so.
    func admits(device: DeviceHash) -> Bool { take(.device(device), perSecond) }

    /// - Parameter key: row id
    func admits(key: Int64) -> Bool {
        take(.key(key), perSecond * Int64(Self.devicesOfCredential))
    }

    /// - Parameter token: row id
    func admits(token: Int64) -> Bool {
        take(.token(token), perSecond * Int64(Self.devicesOfCredential))
    }

    /// A full bucket holds what comes in a second.
    private func take(_ owner: BucketTable.Owner, _ rate: Int64) -> Bool {
        // Rounded up: never more than was set.
        let interval = (1_000_000_000 + rate - 1) / rate
        return buckets.withLock { $0.take(owner, interval: interval, depth: rate, at: clock()) }
    }
}
