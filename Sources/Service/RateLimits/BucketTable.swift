import Events

/// Token buckets up to a capacity: the least recently used one is evicted. Pure: the
/// caller passes the time.
///
/// A bucket is one number, the moment at which it is full again: each token moves it on by `interval`,
/// and a request that would move it further than a full bucket's worth ahead of now is
/// refused. That is the token bucket without its timer (GCRA, ITU-T I.371). What is charged besides may
/// move it as far again: the bucket then owes, never more than it holds.
struct BucketTable {
    /// Whose bucket.
    enum Owner: Hashable {
        case device(DeviceHash)
        /// Row ids.
        case key(Int64)
        case token(Int64)
    }

    private struct Bucket {
        let owner: Owner
        /// Nanoseconds.
        var fullAt: Int64
        /// Indices in `buckets` of those that were used next before and next after.
        var older: Int32
        var newer: Int32
    }

    private static let none: Int32 = -1

    private let capacity: Int
    private var indices: [Owner: Int32] = [:]
    private var buckets: [Bucket] = []
    private var oldest = none
    private var newest = none

    /// - Parameter capacity: how many buckets are kept
    init(capacity: Int) { self.capacity = max(1, min(capacity, Int(Int32.max))) }

    var count: Int { buckets.count }

    /// Takes tokens if there is one; the others may be owed.
    /// - Parameters:
    ///   - tokens: how many are taken, at least 1
    ///   - interval: nanoseconds in which one token comes
    ///   - depth: tokens of a full bucket
    ///   - now: nanoseconds of a clock that is never set
    /// - Returns: nil if they were taken, else the nanoseconds after which there will be one.
    mutating func take(
        _ owner: Owner, _ tokens: Int64 = 1, interval: Int64, depth: Int64, at now: Int64
    ) -> Int64? {
        let index = find(owner, now)
        if let wait = wait(index, interval: interval, depth: depth, at: now) { return wait }
        owe(tokens, index, interval: interval, depth: depth, at: now)
        return nil
    }

    /// Takes tokens whether they are there or not, as far as the bucket may owe them.
    mutating func charge(
        _ owner: Owner, _ tokens: Int64, interval: Int64, depth: Int64, at now: Int64
    ) {
        owe(tokens, find(owner, now), interval: interval, depth: depth, at: now)
    }

    /// Takes nothing, and leaves all buckets as they are.
    /// - Returns: nil if there is a token, else the nanoseconds after which there will be one.
    func wait(for owner: Owner, interval: Int64, depth: Int64, at now: Int64) -> Int64? {
        guard let index = indices[owner] else { return nil }
        return wait(Int(index), interval: interval, depth: depth, at: now)
    }

    private func wait(_ index: Int, interval: Int64, depth: Int64, at now: Int64) -> Int64? {
        let early = max(buckets[index].fullAt, now) - now - interval * (depth - 1)
        return early > 0 ? early : nil
    }

    private mutating func owe(
        _ tokens: Int64, _ index: Int, interval: Int64, depth: Int64, at now: Int64
    ) {
        // Full, it gives as many as it holds and owes as many.
        let limit = now + 2 * depth * interval
        let full = max(buckets[index].fullAt, now) + min(tokens, 2 * depth) * interval
        buckets[index].fullAt = min(full, limit)
    }

    /// The owner's bucket, now the newest.
    private mutating func find(_ owner: Owner, _ now: Int64) -> Int {
        if let index = indices[owner] {
            if index != newest {
                unlink(index)
                link(index)
            }
            return Int(index)
        }
        let bucket = Bucket(owner: owner, fullAt: now, older: Self.none, newer: Self.none)
        let index: Int32
        if buckets.count < capacity {
            index = Int32(buckets.count)
            buckets.append(bucket)
        } else {
            index = oldest
            unlink(index)
            indices[buckets[Int(index)].owner] = nil
            buckets[Int(index)] = bucket
        }
        indices[owner] = index
        link(index)
        return Int(index)
    }

    private mutating func unlink(_ index: Int32) {
        let bucket = buckets[Int(index)]
        if bucket.older == Self.none {
            oldest = bucket.newer
        } else {
            buckets[Int(bucket.older)].newer = bucket.newer
        }
        if bucket.newer == Self.none {
            newest = bucket.older
        } else {
            buckets[Int(bucket.newer)].older = bucket.older
        }
    }

    private mutating func link(_ index: Int32) {
        buckets[Int(index)].older = newest
        buckets[Int(index)].newer = Self.none
        if newest == Self.none { oldest = index } else { buckets[Int(newest)].newer = index }
        newest = index
    }
}
