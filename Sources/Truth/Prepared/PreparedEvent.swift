/// An event with what reports ask of it.
struct PreparedEvent: Sendable {
    let name: NameID
    /// Milliseconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// The number of its local day (see `CivilDate`); `ReportCalendar.noDay` far from the range.
    let day: Int32
    /// The hour of the week on local clocks, from 0; −1 outside the range.
    let hour: Int16
    let isInRange: Bool
    /// 0 for `session.start`, 2 for `session.end`, 3 for `session.resume`, else 1: the order within one
    /// millisecond (docs/reports.md, Sessions).
    let rank: UInt8
    /// The index of its batch.
    let batch: Int32
    /// Its index in the batch.
    let index: Int32
    /// Its index among the told events.
    let told: Int32
}
