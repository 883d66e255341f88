import Columns
import Database
import TimeZones

/// A share made from the latest times at which devices had events within a range. A `HeadScan` that
/// collects it reads events only where it must: a part's last time is the time of an event.
protocol LatestShare: HeadShare {
    /// Adds a part with an event in the range. Throws what the database throws.
    /// - Parameters:
    ///   - latest: time of its latest such event, milliseconds since 1970-01-01T00:00:00Z
    ///   - device: row of the device
    ///   - resource: row of the batch's resource
    mutating func add(
        latest: Int64, of device: Int64, _ resource: Int64
    ) throws(StorageError)
}

extension LatestShare {
    @inline(__always)
    mutating func add(
        _ part: PartHead, _ days: inout LocalDays, within range: ClosedRange<Int>
    ) throws(StorageError) -> Bool {
        guard let day = days.day(at: part.last), range.contains(day) else { return false }
        try add(latest: part.last, of: part.device, part.resource)
        return true
    }

    mutating func add(
        eventsOf part: inout SegmentReader, _ days: inout LocalDays, within range: ClosedRange<Int>
    ) throws(StorageError) {
        if let day = days.day(at: part.last), range.contains(day) { return }
        part.readTimes()
        var latest: Int64?
        for index in 0..<part.count {
            let time = part.times[index]
            guard latest.map({ time > $0 }) ?? true, let day = days.day(at: time),
                range.contains(day)
            else { continue }
            latest = time
        }
        if let latest { try add(latest: latest, of: part.device, part.resource) }
    }
}
