/// A day of the proleptic Gregorian calendar, as its distance from 1970-01-01 (docs/reports.md,
/// Asking). It knows nothing of time zones: which day an instant lies in is for `LocalDays`.
package struct CivilDate: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01; negative before.
    package let number: Int

    /// The day that many days after 1970-01-01.
    package init(number: Int) {
        self.number = number
    }

    /// The day of a year, month (1–12) and day of the month; nothing where there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (-9999...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.init(unchecked: year, month, day)
    }

    /// Exactly `YYYY-MM-DD` in ASCII digits, from year 1 on; nothing else is a date.
    package init?(parsing text: [UInt8]) {
        guard text.count == 10, text[4] == 0x2D, text[7] == 0x2D else { return nil }
        func digits(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in text[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        guard let year = digits(0..<4), let month = digits(5..<7), let day = digits(8..<10),
            year >= 1
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    private init(unchecked year: Int, _ month: Int, _ day: Int) {
        // Years begin in March, so that the leap day is the last of one.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        number = era * 146_097 + dayOfEra - 719_468
    }

    /// Year, month (1–12) and day of the month.
    package var parts: (year: Int, month: Int, day: Int) {
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Days from Monday: 0 on a Monday, 6 on a Sunday.
    package var weekday: Int {
        // 1970-01-01 was a Thursday.
        let remainder = (number + 3) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    /// The Monday of its week.
    package var weekStart: CivilDate { CivilDate(number: number - weekday) }

    /// The first day of its month.
    package var monthStart: CivilDate { CivilDate(number: number - parts.day + 1) }

    /// The day that many days later (or earlier).
    package func adding(days: Int) -> CivilDate { CivilDate(number: number + days) }

    /// The first day of the month that many months after its own.
    package func monthStart(adding months: Int) -> CivilDate {
        let (year, month, _) = parts
        let count = year * 12 + month - 1 + months
        let newYear = count >= 0 ? count / 12 : (count - 11) / 12
        return CivilDate(unchecked: newYear, count - newYear * 12 + 1, 1)
    }

    /// `YYYY-MM-DD`.
    package var text: String {
        let (year, month, day) = parts
        func padded(_ value: Int, _ count: Int) -> String {
            let digits = String(value.magnitude)
            return (value < 0 ? "-" : "")
                + String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    package static func < (a: CivilDate, b: CivilDate) -> Bool { a.number < b.number }

    /// How many days a month of a year has.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether a year has 366 days.
    package static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}
