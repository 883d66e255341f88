/// IMF-fixdate (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    /// The 29 bytes for a moment.
    /// - Parameter seconds: since 1970-01-01T00:00:00Z, between the years 1970 and 9999.
    package static func text(seconds: Int64) -> [UInt8] {
        let seconds = max(0, min(seconds, 253_402_300_799))
        let days = Int(seconds / 86_400)
        let time = Int(seconds % 86_400)
        // Days to a civil date: years begin in March, so that the leap day is the last of a year.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = era * 400 + yearOfEra + (month >= 10 ? 1 : 0)

        var text: [UInt8] = []
        text.reserveCapacity(32)
        // 1970-01-01 was a Thursday.
        append(&text, "ThuFriSatSunMonTueWed", at: days % 7)
        text += [0x2C, 0x20]
        appendTwo(&text, day)
        text.append(0x20)
        append(&text, "MarAprMayJunJulAugSepOctNovDecJanFeb", at: month)
        text.append(0x20)
        appendTwo(&text, year / 100)
        appendTwo(&text, year % 100)
        text.append(0x20)
        appendTwo(&text, time / 3600)
        text.append(0x3A)
        appendTwo(&text, time / 60 % 60)
        text.append(0x3A)
        appendTwo(&text, time % 60)
        text += [0x20, 0x47, 0x4D, 0x54]
        return text
    }

    private static func append(_ text: inout [UInt8], _ names: StaticString, at index: Int) {
        for offset in 0..<3 { text.append(names.utf8Start[index * 3 + offset]) }
    }

    private static func appendTwo(_ text: inout [UInt8], _ value: Int) {
        text.append(0x30 + UInt8(truncatingIfNeeded: value / 10))
        text.append(0x30 + UInt8(truncatingIfNeeded: value % 10))
    }
}
