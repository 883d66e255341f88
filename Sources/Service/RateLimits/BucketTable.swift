import Events

/// Token buckets, at most so many: the one that nobody has asked for longest is forgotten. Pure: the
/// moment is handed in.
///
/// A bucket is one number, the moment at which it is full again: each token moves it on by `interval`,
/// and whoever asks for one that would move it further than a full bucket's worth ahead of now is
/// refused. That is the token bucket without its timer (GCRA, ITU-T I.371). What is charged besides may
/// move it further: the bucket then owes.
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
        /// Places in `buckets` of those that were asked for next before and next after.
        var older: Int32
        var newer: Int32
    }

    private static let none: Int32 = -1

    private let most: Int
    private var places: [Owner: Int32] = [:]
    private var buckets: [Bucket] = []
    private var oldest = none
    private var newest = none

    /// - Parameter most: how many are remembered
    init(most: Int) { self.most = max(1, min(most, Int(Int32.max))) }

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
        let place = find(owner, now)
        let early = max(buckets[place].fullAt, now) - now - interval * (depth - 1)
        guard early <= 0 else { return early }
        owe(tokens, place, interval: interval, at: now)
        return nil
    }

    /// Takes tokens whether they are there or not.
    mutating func charge(_ owner: Owner, _ tokens: Int64, interval: Int64, at now: Int64) {
        owe(tokens, find(owner, now), interval: interval, at: now)
    }

    private mutating func owe(_ tokens: Int64, _ place: Int, interval: Int64, at now: Int64) {
        let (time, overflow) = tokens.multipliedReportingOverflow(by: interval)
        // A year is as good as for ever, and leaves all sums far from their end.
        let most = max(buckets[place].fullAt, now + Self.mostOwed)
        let next =
            max(buckets[place].fullAt, now) + (overflow ? Self.mostOwed : min(time, Self.mostOwed))
        buckets[place].fullAt = min(next, most)
    }

    /// Nanoseconds.
    private static let mostOwed: Int64 = 365 * 86_400 * 1_000_000_000

    /// The owner's bucket, now the newest.
    private mutating func find(_ owner: Owner, _ now: Int64) -> Int {
        if let place = places[owner] {
            if place != newest {
                unlink(place)
                link(place)
            }
            return Int(place)
        }
        let bucket = Bucket(owner: owner, fullAt: now, older: Self.none, newer: Self.none)
        let place: Int32
        if buckets.count < most {
            place = Int32(buckets.count)
            buckets.append(bucket)
        } else {
            place = oldest
            unlink(place)
            places[buckets[Int(place)].owner] = nil
            buckets[Int(place)] = bucket
        }
        places[owner] = place
        link(place)
        return Int(place)
    }

    private mutating func unlink(_ place: Int32) {
        let bucket = buckets[Int(place)]
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

    private mutating func link(_ place: Int32) {
        buckets[Int(place)].older = newest
        buckets[Int(place)].newer = Self.none
        if newest == Self.none { oldest = place } else { buckets[Int(newest)].newer = place }
        newest = place
    }
}
