import Glibc
import Storage

/// The wall clock.
package enum Timestamp {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package static var milliseconds: Int64 { Store.wallClock() }

    /// `2026-11-21T08:30:00.123Z`, now.
    package static var now: String { text(milliseconds) }

    /// The same of any moment.
    package static func text(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let date =
            "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
        let time =
            "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
        return "\(date)T\(time).\(padded(Int32(milliseconds % 1000), 3))Z"
    }
}
