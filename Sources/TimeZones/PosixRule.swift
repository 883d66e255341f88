/// The footer of a TZif file: what holds after its last transition (RFC 9636 §3.3, POSIX `TZ`).
struct PosixRule: Hashable, Sendable {
    /// When a change falls in a year.
    enum Day: Hashable, Sendable {
        /// 1–365, 29 February never counted.
        case julian(Int)
        /// 0–365, 29 February counted.
        case ordinal(Int)
        /// Month, week (5 is the last), weekday from Sunday = 0.
        case weekday(month: Int, week: Int, day: Int)
    }

    /// A change of a year: its day, and seconds from that day's local midnight.
    struct Change: Hashable, Sendable {
        let day: Day
        let seconds: Int
    }

    /// Daylight saving time: its offset from UTC in seconds, when it begins and when it ends.
    struct Daylight: Hashable, Sendable {
        let offset: Int
        let start: Change
        let end: Change
    }

    /// Local standard time − UTC in seconds.
    let standard: Int
    /// Nothing where the offset never changes.
    let daylight: Daylight?

    /// The changes of the given years in order: instant in seconds, and the offset from there on.
    func transitions(years: ClosedRange<Int>) -> [(time: Int64, offset: Int)] {
        guard let daylight else { return [] }
        var out: [(time: Int64, offset: Int, isStart: Bool)] = []
        for year in years {
            let start = Self.localSeconds(daylight.start, year: year) - Int64(standard)
            let end = Self.localSeconds(daylight.end, year: year) - Int64(daylight.offset)
            out.append((start, daylight.offset, true))
            out.append((end, standard, false))
        }
        // Daylight saving time all the year ends and begins in the same instant: its start counts.
        out.sort { $0.time != $1.time ? $0.time < $1.time : !$0.isStart && $1.isStart }
        return out.map { ($0.time, $0.offset) }
    }

    /// Seconds from 1970-01-01T00:00 to a change, both in local time.
    private static func localSeconds(_ change: Change, year: Int) -> Int64 {
        guard let first = CivilDate(year: year, month: 1, day: 1) else { return 0 }
        let date: CivilDate
        switch change.day {
        case .julian(let day):
            let skipped = CivilDate.isLeap(year) && day >= 60 ? 1 : 0
            date = first.adding(days: day - 1 + skipped)
        case .ordinal(let day):
            date = first.adding(days: day)
        case .weekday(let month, let week, let day):
            let start = first.monthStart(adding: month - 1)
            // `weekday` counts from Monday, POSIX from Sunday.
            var offset = (day + 6 - start.weekday) % 7
            offset += (week - 1) * 7
            while offset >= CivilDate.length(ofMonth: month, year: year) { offset -= 7 }
            date = start.adding(days: offset)
        }
        return Int64(date.number) * 86_400 + Int64(change.seconds)
    }
}
