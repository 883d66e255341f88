/// Quarter hours since 1970-01-01T00:00:00Z: what is counted by arrival is counted by these, since every
/// time zone of today is off by a whole number of them.
package enum QuarterHour {
    /// Milliseconds.
    package static let length: Int64 = 900_000

    /// The quarter hour in which a moment lies, in milliseconds since 1970.
    package static func number(of moment: Int64) -> Int64 {
        moment >= 0 ? moment / length : (moment - length + 1) / length
    }
}
