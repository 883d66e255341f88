/// `Retry-After` (RFC 9110 §10.2.3).
package enum RetryAfter {
    /// How long to wait, in milliseconds, at most 24 h; nil where it is absent, malformed or past.
    ///
    /// - Parameters:
    ///   - date: The answer's own `Date`, which a date is compared with.
    ///   - now: The device's clock, for want of that.
    package static func wait(_ field: String?, date: String?, now: Int64) -> Int64? {
        guard let field, !field.isEmpty else { return nil }
        let text = Array(field.utf8)
        let wait: Int64
        if text.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }) {
            guard let seconds = Decimal.value(text) else { return Backoff.longestAsked }
            wait = min(seconds, Backoff.longestAsked / 1000) * 1000
        } else {
            guard let moment = HTTPDate.milliseconds(field) else { return nil }
            wait = moment - (date.flatMap(HTTPDate.milliseconds) ?? now)
        }
        return wait > 0 ? min(wait, Backoff.longestAsked) : nil
    }
}

/// A date as HTTP writes it today: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    /// Milliseconds since 1970; nil for any other text.
    package static func milliseconds(_ text: String) -> Int64? {
        let text = Array(text.utf8)
        guard text.count == 29, text[3] == UInt8(ascii: ","),
            text[25...].elementsEqual(" GMT".utf8), text[19] == UInt8(ascii: ":"),
            text[22] == UInt8(ascii: ":"), [4, 7, 11, 16].allSatisfy({ text[$0] == 0x20 }),
            let day = Decimal.value(text[5..<7]), (1...31).contains(day),
            let month = month(text[8..<11]), let year = Decimal.value(text[12..<16]), year >= 1,
            let hour = Decimal.value(text[17..<19]), hour < 24,
            let minute = Decimal.value(text[20..<22]), minute < 60,
            let second = Decimal.value(text[23..<25]), second < 61
        else { return nil }
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
        return seconds * 1000
    }

    private static func month(_ name: ArraySlice<UInt8>) -> Int64? {
        for month in 0..<12 {
            let start = months.utf8Start + 3 * month
            if name.elementsEqual(UnsafeBufferPointer(start: start, count: 3)) {
                return Int64(month) + 1
            }
        }
        return nil
    }

    /// Days since 1970-01-01 in the Gregorian calendar; years begin in March, so that a leap day is the
    /// last of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let month = (month + 9) % 12
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1
            - 719_468
    }
}
