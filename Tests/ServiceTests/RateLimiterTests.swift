import Events
import Synchronization
import Testing

@testable import Service

/// docs/operation.md, Rate limits. Times are counted by hand.
@Suite("rate limits")
struct RateLimiterTests {
    private static let second: Int64 = 1_000_000_000

    /// A clock that stands where it was put.
    private final class Hand: Sendable {
        private let now = Atomic<Int64>(5_000_000_000)
        func advance(_ nanoseconds: Int64) { now.add(nanoseconds, ordering: .relaxed) }
        var clock: @Sendable () -> Int64 { { self.now.load(ordering: .relaxed) } }
    }

    private static func device(_ number: UInt64) -> DeviceHash { DeviceHash(high: 1, low: number) }

    @Test("a device may post what comes in a second at once, then one each interval")
    func device() {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: 4, clock: hand.clock)
        let one = Self.device(1)
        for _ in 0..<4 { #expect(limiter.admits(device: one)) }
        #expect(!limiter.admits(device: one))
        // A quarter of a second brings one, a nanosecond less none.
        hand.advance(249_999_999)
        #expect(!limiter.admits(device: one))
        hand.advance(1)
        #expect(limiter.admits(device: one))
        #expect(!limiter.admits(device: one))
        // What was refused cost nothing: after a second there are four again, and no more after a day.
        hand.advance(Self.second)
        for _ in 0..<4 { #expect(limiter.admits(device: one)) }
        #expect(!limiter.admits(device: one))
        hand.advance(86_400 * Self.second)
        for _ in 0..<4 { #expect(limiter.admits(device: one)) }
        #expect(!limiter.admits(device: one))
        #expect(limiter.admits(device: Self.device(2)), "another device has a bucket of its own")
    }

    @Test("a key and a token may post a hundred times as much, each by itself")
    func credentials() {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: 1, clock: hand.clock)
        for _ in 0..<100 { #expect(limiter.admits(key: 7)) }
        #expect(!limiter.admits(key: 7))
        for _ in 0..<100 { #expect(limiter.admits(token: 7)) }
        #expect(!limiter.admits(token: 7))
        #expect(limiter.admits(key: 8))
        hand.advance(10_000_000)
        #expect(limiter.admits(key: 7))
        #expect(!limiter.admits(key: 7))
    }

    @Test("a rate that does not divide a second is never exceeded", arguments: [3, 7, 999])
    func rounding(rate: Int) {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: rate, clock: hand.clock)
        let one = Self.device(1)
        var taken = 0
        for _ in 0..<rate where limiter.admits(device: one) { taken += 1 }
        #expect(taken == rate)
        for _ in 0..<10 {
            hand.advance(Self.second)
            for _ in 0...rate where limiter.admits(device: one) { taken += 1 }
        }
        #expect((rate * 11 - 10...rate * 11).contains(taken))
    }

    @Test("what a batch counts beyond the first may be owed, as far as a bucket holds")
    func owing() {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: 2, clock: hand.clock)
        let one = BucketTable.Owner.device(Self.device(1))
        // The bucket has two: five leave it owing two, not three, and one more takes half a second.
        #expect(limiter.take(one, units: 5) == nil)
        #expect(limiter.take(one) == 2)
        hand.advance(Self.second)
        #expect(limiter.take(one) == 1)
        hand.advance(Self.second / 2 - 1)
        #expect(limiter.take(one) == 1)
        hand.advance(1)
        #expect(limiter.take(one) == nil && limiter.take(one) == 1)
        // What is charged afterwards is owed too, of a bucket that has none yet as well.
        let key = BucketTable.Owner.key(3)
        limiter.charge(key, units: 0)
        limiter.charge(key, units: 200)
        #expect(limiter.take(key) == 1)
        hand.advance(5_000_000)
        #expect(limiter.take(key) == nil && limiter.take(key) == 1)
    }

    @Test("a bucket owes at most what it holds in a second, however much is charged at once")
    func owingMost() {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: 1, clock: hand.clock)
        let token = BucketTable.Owner.token(3)
        // Heads that come at once, and bodies of 8 MiB.
        for _ in 0..<99 { #expect(limiter.take(token) == nil) }
        for _ in 0..<99 { limiter.charge(token, units: 31) }
        limiter.charge(token, units: .max)
        #expect(limiter.take(token) == 2)
        hand.advance(Self.second)
        #expect(limiter.take(token) == 1)
        hand.advance(10_000_000)
        #expect(limiter.take(token) == nil && limiter.take(token) == 1)
    }

    @Test("who only asks whether there is one takes none, and makes no bucket")
    func asking() {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: 1, capacity: 1, clock: hand.clock)
        let one = BucketTable.Owner.device(Self.device(1))
        for _ in 0..<3 { #expect(limiter.wait(for: one) == nil) }
        #expect(limiter.take(one) == nil)
        #expect(limiter.wait(for: .key(1)) == nil)
        #expect(limiter.wait(for: one) == 1, "another's question has not taken its place")
        hand.advance(Self.second)
        #expect(limiter.wait(for: one) == nil && limiter.take(one) == nil)
    }

    @Test(
        "a batch counts once for each 256 KiB or 32,768 elements begun, whichever is more",
        arguments: [
            (0, 0, 1), (1, 1, 1), (262_144, 32_768, 1), (262_145, 0, 2), (524_288, 1, 2),
            (524_289, 32_769, 3), (8 << 20, 1, 32), (1, 32_769, 2), (65_536, 65_537, 3),
            (262_145, 1_000_000, 31),
        ])
    func units(bytes: Int, elements: Int, units: Int) {
        #expect(RateLimiter.units(inflatedBytes: bytes, elements: elements) == units)
    }

    @Test("beyond the most, the bucket that was asked for longest ago is forgotten, and no other")
    func forgetting() {
        let hand = Hand()
        let limiter = RateLimiter(perSecond: 1, capacity: 3, clock: hand.clock)
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(limiter.admits(device: Self.device(number)))
        }
        // The first is refused, and is thereby the newest.
        #expect(!limiter.admits(device: Self.device(1)))
        #expect(limiter.admits(device: Self.device(4)))
        #expect(!limiter.admits(device: Self.device(1)))
        #expect(!limiter.admits(device: Self.device(3)))
        #expect(limiter.admits(device: Self.device(2)), "it was the oldest")
    }

    @Test("a hundred thousand buckets are the most, whoever posts")
    func bounded() {
        var table = BucketTable(capacity: RateLimiter.maxBuckets)
        for number in 0..<UInt64(250_000) {
            _ = table.take(.device(Self.device(number)), interval: 1, depth: 1, at: 0)
        }
        #expect(table.count == 100_000)
        let youngestOfOld = table.take(
            .device(Self.device(150_000)), interval: 1, depth: 1, at: 0)
        let forgotten = table.take(.device(Self.device(149_999)), interval: 1, depth: 1, at: 0)
        #expect(youngestOfOld != nil && forgotten == nil)
    }
}

extension RateLimiter {
    /// Whether one more batch may be taken now; it counts if so.
    func admits(device: DeviceHash) -> Bool { take(.device(device)) == nil }
    func admits(key: Int64) -> Bool { take(.key(key)) == nil }
    func admits(token: Int64) -> Bool { take(.token(token)) == nil }
}
