import Columns
import Database
import Storage
import TimeZones

/// Scans events by their names alone, part after part, or the share of them that no other scan of the
/// list takes. Times are read only of a part that is not of one bucket:
///
///     var scan = NameScan(try EventList(question, times: false, reading), buckets)
///     while try scan.next() { scan.forEach { name, day, count in … } }
struct NameScan: ~Copyable {
    /// Row of the current part's device.
    var device: Int64 { scan.part.device }

    private let list: EventList
    private let buckets: Buckets?
    private var scan: SegmentScan
    private var days: LocalDays
    private var resources: ResourceSet
    /// A day of the current part's only bucket; nil where `events` has the part.
    private var day: Int?
    private var counts = NameCounts()
    private var events: [(name: Int64, day: Int)] = []

    /// - Parameters:
    ///   - list: of all names, for the range and the filters of a question
    ///   - buckets: of the question; nil: nobody asks on which day an event was
    init(_ list: EventList, _ buckets: Buckets?) {
        self.list = list
        self.buckets = buckets
        scan = SegmentScan(list.segments, list.columns)
        days = list.days
        resources = list.resources
    }

    /// Moves to the next part with an event that counts. False after the last one. Throws what the
    /// database throws.
    mutating func next() throws(StorageError) -> Bool {
        while try scan.next() {
            if try resources.contains(scan.part.resource), try begin() { return true }
        }
        return false
    }

    private mutating func begin() throws(StorageError) -> Bool {
        let (first, last) = (scan.part.first, scan.part.last)
        if days.isFar(from: first, to: last) { return false }
        if let span = days.days(from: first, to: last) {
            if !span.overlaps(list.range) { return false }
            if isOneBucket(span) {
                day = span.lowerBound
                scan.part.countNames(into: &counts)
                return true
            }
        }
        day = nil
        try read()
        return !events.isEmpty
    }

    /// Whether all of these days are in the range, and in one bucket where there are any.
    private func isOneBucket(_ span: ClosedRange<Int>) -> Bool {
        guard list.range.contains(span.lowerBound), list.range.contains(span.upperBound) else {
            return false
        }
        guard let buckets, span.count > 1 else { return true }
        return buckets.index(ofDay: span.lowerBound) == buckets.index(ofDay: span.upperBound)
    }

    /// Reads the part event by event.
    private mutating func read() throws(StorageError) {
        events.removeAll(keepingCapacity: true)
        try scan.load(.times)
        scan.part.readTimes()
        scan.part.readNames()
        try scan.check()
        for index in 0..<scan.part.count {
            guard let day = days.day(at: scan.part.times[index]), list.range.contains(day) else {
                continue
            }
            events.append((scan.part.nameRows[Int(scan.part.names[index])], day))
        }
    }

    /// Calls `body` with names of the current part's events, by their rows; with a day of the bucket in
    /// which the events are; and how many they are.
    @inline(__always)
    func forEach(_ body: (_ name: Int64, _ day: Int, _ count: Int) -> Void) {
        if let day {
            counts.forEach { name, count in body(scan.part.nameRows[name], day, count) }
        } else {
            for event in events { body(event.name, event.day, 1) }
        }
    }
}
