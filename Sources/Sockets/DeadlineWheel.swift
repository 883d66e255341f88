/// Deadlines of thousands of connections at the cost of an array element each.
///
/// A ring of buckets, one a tick. A connection is in one bucket, no later than its deadline;
/// when the bucket comes up and the deadline has moved, the connection is put into another. So moving a deadline to
/// later, which every request does, costs nothing.
struct DeadlineWheel {
    /// A connection in a bucket.
    struct Entry {
        var address: ConnectionAddress
        var tick: Int64
    }

    /// The length of a tick in nanoseconds: how late a deadline may be noticed.
    static let tick: Int64 = 16_000_000
    static let size = 1024

    private var buckets = [[Entry]](repeating: [], count: DeadlineWheel.size)
    /// A bit for each bucket with something in it.
    private var occupied = [UInt64](repeating: 0, count: DeadlineWheel.size / 64)
    /// The next tick to come up.
    private(set) var next: Int64

    init(now: Int64) { next = now / Self.tick + 1 }

    /// The tick at which a deadline is looked at, not further away than the ring is long.
    func tick(for deadline: Int64) -> Int64 {
        let tick = min(deadline / Self.tick + 1, next + Int64(Self.size) - 1)
        return max(tick, next)
    }

    mutating func insert(_ address: ConnectionAddress, at tick: Int64) {
        let bucket = Int(tick % Int64(Self.size))
        buckets[bucket].append(Entry(address: address, tick: tick))
        occupied[bucket / 64] |= 1 << UInt64(bucket % 64)
    }

    /// Takes out what is due at `now`.
    mutating func due(_ now: Int64, into due: inout [Entry]) {
        due.removeAll(keepingCapacity: true)
        let last = now / Self.tick
        // Longer than a round: every bucket once.
        if last - next >= Int64(Self.size) { next = last - Int64(Self.size) + 1 }
        while next <= last {
            let bucket = Int(next % Int64(Self.size))
            if occupied[bucket / 64] >> UInt64(bucket % 64) & 1 == 1 {
                due.append(contentsOf: buckets[bucket])
                buckets[bucket].removeAll(keepingCapacity: buckets[bucket].capacity <= 64)
                occupied[bucket / 64] &= ~(1 << UInt64(bucket % 64))
            }
            next += 1
        }
    }

    /// When the next bucket with something in it comes up; `nil` if all are empty.
    var nextMoment: Int64? {
        var tick = next
        let end = next + Int64(Self.size)
        while tick < end {
            let bucket = Int(tick % Int64(Self.size))
            let word = occupied[bucket / 64] >> UInt64(bucket % 64)
            if word != 0 { return (tick + Int64(word.trailingZeroBitCount)) * Self.tick }
            tick += Int64(64 - bucket % 64)
        }
        return nil
    }
}
