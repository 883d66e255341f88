/// The days a simulation covers, in UTC. Days are counted from 1970-01-01, moments are milliseconds
/// from its first.
package struct SimulationPeriod: Sendable, Equatable {
    /// A day in milliseconds.
    static let day: Int64 = 86_400_000
    /// How far back the first day may begin: an hour short of the oldest event that a server takes
    /// (400 days), which is the time to post it in.
    static let reach: Int64 = 400 * day - 3_600_000

    /// The number of the first day.
    package let firstDay: Int64
    /// How many days there are, the last perhaps cut short by `end`.
    package let days: Int
    /// No event and no posting is at this moment or after it.
    package let end: Int64

    /// The first moment.
    package var start: Int64 { firstDay * Self.day }

    /// The `days` days that end with the one in which the last moment before `end` lies.
    ///
    /// - Throws: `SimulationFailure` when `end` is after `now`, or when the first day's events would
    ///   be too old for a server.
    package init(days: Int, end: Int64, now: Int64) throws(SimulationFailure) {
        guard days >= 1, days <= 400 else {
            throw SimulationFailure(reason: "there must be 1 to 400 days")
        }
        guard end > 0, end <= now else {
            throw SimulationFailure(reason: "events cannot lie in the future")
        }
        self.end = end
        self.days = days
        firstDay = (end - 1) / Self.day - Int64(days) + 1
        guard now - firstDay * Self.day <= Self.reach else {
            throw SimulationFailure(
                reason: "its first day is more than 400 days ago; use fewer days or a later date")
        }
    }

    /// The days that end with `date` (`YYYY-MM-DD`), it included, or with the last whole day before
    /// `now` where `date` is not over yet or not given: half a day would be other events each time
    /// it is asked for.
    package init(
        days: Int, until date: String?, now: Int64
    ) throws(SimulationFailure) {
        let lastMidnight = now / Self.day * Self.day
        var end = lastMidnight
        if let date {
            guard let number = Self.dayNumber(of: date) else {
                throw SimulationFailure(reason: "\(date) is no date; write it as YYYY-MM-DD")
            }
            guard number * Self.day <= now else {
                throw SimulationFailure(reason: "\(date) lies in the future")
            }
            end = min((number + 1) * Self.day, lastMidnight)
        }
        try self.init(days: days, end: end, now: now)
    }

    /// The number of the day that `YYYY-MM-DD` names in the Gregorian calendar, nil if none.
    static func dayNumber(of date: String) -> Int64? {
        let text = Array(date.utf8)
        guard text.count == 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = number(text[0..<4]), let month = number(text[5..<7]),
            let day = number(text[8..<10]), year >= 1970, (1...12).contains(month), day >= 1
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard day <= lengths[Int(month) - 1] else { return nil }
        // Whole years before this one, with their leap days, then this year's months.
        let before = year - 1
        let years = before * 365 + before / 4 - before / 100 + before / 400
        let months = lengths[..<(Int(month) - 1)].reduce(0, +)
        // 719,162 days lie before 1970-01-01 in this count.
        return years + months + day - 1 - 719_162
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return value
    }
}
