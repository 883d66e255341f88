import Columns
import Database
import TimeZones

/// A share made from the local days on which devices had events. A `HeadScan` that collects it
/// reads events only where it must: a part's first and last time are times of events, so they
/// suffice for a part of one or two days.
protocol DayShare: HeadShare {
    /// Adds the day of an event. Each day with events comes at least once, in no order, perhaps
    /// again. Throws what the database throws.
    /// - Parameters:
    ///   - day: its number
    ///   - device: row of the device
    ///   - resource: row of the batch's resource
    mutating func add(
        day: Int, of device: Int64, _ resource: Int64
    ) throws(StorageError)
}

extension DayShare {
    @inline(__always)
    mutating func add(
        _ part: PartHead, _ days: inout LocalDays, within range: ClosedRange<Int>
    ) throws(StorageError) -> Bool {
        guard let span = days.known(from: part.first, to: part.last) else { return false }
        for day in span where range.contains(day) {
            try add(day: day, of: part.device, part.resource)
        }
        return true
    }

    mutating func add(
        eventsOf part: inout SegmentReader, _ days: inout LocalDays, within range: ClosedRange<Int>
    ) throws(StorageError) {
        guard days.known(from: part.first, to: part.last) == nil else { return }
        part.readTimes()
        var last: Int?
        for index in 0..<part.count {
            guard let day = days.day(at: part.times[index]), day != last else { continue }
            last = day
            if range.contains(day) { try add(day: day, of: part.device, part.resource) }
        }
    }
}

extension LocalDays {
    /// The local days on which a part has events; nil if its first and last time do not suffice.
    @inline(__always)
    fileprivate mutating func known(from first: Int64, to last: Int64) -> ClosedRange<Int>? {
        guard let days = days(from: first, to: last), days.count <= 2 else { return nil }
        return days
    }
}
