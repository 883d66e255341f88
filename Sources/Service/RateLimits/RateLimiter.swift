import Events
import Sockets
import Synchronization

/// How many batches a second are taken from one device, and of one key or token (docs/operation.md,
/// Rate limits). One lock, held for a look-up: it exists only where `rate-limit` is set, and the
/// writer's queue has one for each batch too.
final class RateLimiter: Sendable {
    /// How many buckets are remembered.
    static let maxBuckets = 100_000
    /// What a key or token may, in devices.
    static let devicesOfCredential = 100
    /// Bytes of JSON that count as one batch.
    static let bytesOfUnit = 256 << 10

    private let buckets: Mutex<BucketTable>
    private let perSecond: Int64
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - perSecond: batches of a device, at least 1
    ///   - clock: nanoseconds, never set back
    init(
        perSecond: Int, capacity: Int = maxBuckets,
        clock: @escaping @Sendable () -> Int64 = Clock.system.monotonic
    ) {
        self.perSecond = Int64(max(1, min(perSecond, 1_000_000)))
        self.clock = clock
        buckets = Mutex(BucketTable(capacity: capacity))
    }

    /// As how many batches one counts whose JSON has so many bytes.
    static func units(ofInflated bytes: Int) -> Int { max(1, (bytes - 1) / bytesOfUnit + 1) }

    /// Takes one more batch of that owner, if it may have one now.
    /// - Parameter units: as how many it counts; those beyond the first may be owed
    /// - Returns: nil if it was taken, else the whole seconds after which one will be.
    func take(_ owner: BucketTable.Owner, units: Int = 1) -> Int? {
        let rate = rate(of: owner)
        let wait = buckets.withLock {
            $0.take(
                owner, Int64(units), interval: Self.interval(rate), depth: rate, at: clock())
        }
        return wait.map { Int(($0 + 999_999_999) / 1_000_000_000) }
    }

    /// Has a batch that was taken count as so many more, owed if need be.
    func charge(_ owner: BucketTable.Owner, units: Int) {
        guard units > 0 else { return }
        let interval = Self.interval(rate(of: owner))
        buckets.withLock { $0.charge(owner, Int64(units), interval: interval, at: clock()) }
    }

    /// Batches a second, which is also what a full bucket holds.
    private func rate(of owner: BucketTable.Owner) -> Int64 {
        switch owner {
        case .device: perSecond
        case .key, .token: perSecond * Int64(Self.devicesOfCredential)
        }
    }

    /// Nanoseconds, rounded up: never more than was set.
    private static func interval(_ rate: Int64) -> Int64 { (1_000_000_000 + rate - 1) / rate }
}
