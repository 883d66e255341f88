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
    /// Bytes of a batch's inflated form that count as one batch, and elements of it that do.
    static let bytesOfUnit = 256 << 10
    static let elementsOfUnit = 32_768

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

    /// As how many batches one counts whose inflated form has so many bytes and elements.
    static func units(inflatedBytes bytes: Int, elements: Int) -> Int {
        max((bytes - 1) / bytesOfUnit, (elements - 1) / elementsOfUnit) + 1
    }

    /// Takes one more batch of that owner, if it may have one now.
    /// - Parameter units: as how many it counts; those beyond the first may be owed
    /// - Returns: nil if it was taken, else the whole seconds after which one will be.
    func take(_ owner: BucketTable.Owner, units: Int = 1) -> Int? {
        let rate = rate(of: owner)
        return Self.seconds(
            buckets.withLock {
                $0.take(
                    owner, Int64(units), interval: Self.interval(rate), depth: rate, at: clock())
            })
    }

    /// Whether that owner may have one more batch now; nothing is taken.
    /// - Returns: nil if it may, else the whole seconds after which it will be.
    func wait(for owner: BucketTable.Owner) -> Int? {
        let rate = rate(of: owner)
        return Self.seconds(
            buckets.withLock {
                $0.wait(for: owner, interval: Self.interval(rate), depth: rate, at: clock())
            })
    }

    /// Takes so many batches of that owner, owed if need be.
    func charge(_ owner: BucketTable.Owner, units: Int) {
        guard units > 0 else { return }
        let rate = rate(of: owner)
        buckets.withLock {
            $0.charge(
                owner, Int64(units), interval: Self.interval(rate), depth: rate, at: clock())
        }
    }

    private static func seconds(_ nanoseconds: Int64?) -> Int? {
        nanoseconds.map { Int(($0 + 999_999_999) / 1_000_000_000) }
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
