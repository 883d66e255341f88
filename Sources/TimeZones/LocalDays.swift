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

    /// The hour that local clocks show at an instant; nothing for an instant so far from the range that its day
    /// is surely none of it.
    @inlinable @inline(__always)
    public mutating func hour(at time: Int64) -> LocalHour? {
        guard let segment = segment(at: time) else { return nil }
        let local = time + segment.offset
        let length: Int64 = 3_600_000
        let number = Self.quotient(local, length)
        let day = Self.quotient(number, 24)
        let start = number * length - segment.offset
        // Where clocks change within it, it goes only so far.
        return LocalHour(
            day: Int(day), hour: Int(number - day * 24),
            start: max(start, segment.start), end: min(start + length, segment.end))
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
        Int(quotient(time + segment.offset, 86_400_000))
    }

    /// Rounded down.
    @inlinable @inline(__always)
    static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : (number - divisor + 1) / divisor
    }
}

/// An hour on the clocks of a zone, and the instants at which they show it without a break.
public struct LocalHour: Hashable, Sendable {
    /// The number of the local day (see `CivilDate`).
    public let day: Int
    /// 0 to 23.
    public let hour: Int
    /// Milliseconds since 1970-01-01T00:00:00Z: from `start` on, and before `end`.
    public let start, end: Int64

    @usableFromInline
    init(day: Int, hour: Int, start: Int64, end: Int64) {
        self.day = day
        self.hour = hour
        self.start = start
        self.end = end
    }

    /// Which hour of a week it is, from 0: the first of a Monday.
    @inlinable @inline(__always)
    public var ofWeek: Int {
        // Day 0 was a Thursday.
        let weekday = (day + 3) % 7
        return (weekday < 0 ? weekday + 7 : weekday) * 24 + hour
    }
}
