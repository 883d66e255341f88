/// In which local day an instant lies: floor((time + offset) / 86,400,000), for many instants of
/// one range of days. It remembers the last stretch of constant offset, where the next instant
/// mostly lies too. Public so that other rooms' loops can inline it
/// (docs/decisions/0046-public-where-it-is-inlined.md).
public struct LocalDays: Sendable {
    @usableFromInline let segments: [TimeSegment]
    @usableFromInline var current: TimeSegment

    /// For the days `from` to `to`, both included.
    package init(_ zone: TimeZoneRules, from: CivilDate, to: CivilDate) {
        let day: Int64 = 86_400_000
        // No zone is further than 26 hours from UTC: what lies outside is in no day of the range.
        let start = (Int64(from.number) - 2) * day
        let end = max(start + 1, (Int64(to.number) + 3) * day)
        segments = zone.segments(from: start, to: end)
        current = segments[0]
    }

    /// The number of the local day (see `CivilDate`); nothing for an instant that lies so far from
    /// the range that its day is surely none of it.
    @inlinable @inline(__always)
    public mutating func day(at time: Int64) -> Int? {
        guard let segment = segment(at: time) else { return nil }
        return Self.day(time, segment)
    }

    /// The first and the last local day of the instants `first` to `last`, if all of them lie in
    /// one stretch of constant offset, so that days go up with time; nothing otherwise.
    @inlinable @inline(__always)
    public mutating func days(from first: Int64, to last: Int64) -> ClosedRange<Int>? {
        guard let segment = segment(at: first), last >= first, last < segment.end else {
            return nil
        }
        return Self.day(first, segment)...Self.day(last, segment)
    }

    /// Whether all instants from `first` to `last` lie so far from the range that their days are surely none
    /// of it.
    @inlinable @inline(__always)
    public func isFar(from first: Int64, to last: Int64) -> Bool {
        last < segments[0].start || first >= segments[segments.count - 1].end
    }

    @inlinable @inline(__always)
    mutating func segment(at time: Int64) -> TimeSegment? {
        time >= current.start && time < current.end ? current : find(time)
    }

    @inlinable @inline(never)
    mutating func find(_ time: Int64) -> TimeSegment? {
        guard let match = segments.first(where: { time >= $0.start && time < $0.end }) else {
            return nil
        }
        current = match
        return match
    }

    @inlinable @inline(__always)
    static func day(_ time: Int64, _ segment: TimeSegment) -> Int {
        let local = time + segment.offset
        let day: Int64 = 86_400_000
        return Int(local >= 0 ? local / day : (local - day + 1) / day)
    }
}

extension LocalDays {
    /// For instants near one of them.
    package init(_ zone: TimeZoneRules, around time: Int64) {
        let day = CivilDate(number: Int(time / 86_400_000))
        self.init(zone, from: day, to: day)
    }
}
