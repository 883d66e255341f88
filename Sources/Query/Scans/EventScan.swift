import Columns
import Database
import Events
import Storage
import TimeZones

/// Scans the events of a list that match its filters, batch after batch, each once, or the share of
/// them that no other scan of the list takes; from segments (docs/design.md, Segments):
///
///     var scan = EventScan(try EventList(question, names: [counter], times: false, reading))
///     while try scan.next() { … scan.device … scan.subjectCode { … } … }
struct EventScan: ~Copyable {
    /// Row of the current event's device.
    var device: Int64 { scan.part.device }
    /// Row of its batch.
    var batch: Int64 { mutating get { scan.part.batch } }
    /// Its time, milliseconds since 1970-01-01T00:00:00Z. Only of a list with `times`.
    var time: Int64 {
        mutating get {
            // Not at the part's begin: where the days of parts suffice, nobody asks for times.
            scan.part.readTimes()
            return scan.part.times[Int(hit.index)]
        }
    }
    /// Its local day (number), where it lies in the range of the question.
    private(set) var day = 0
    /// Row of its name.
    private(set) var name: Int64 = 0
    /// Whether it lies in the range of the question and matches its filters.
    private(set) var counts = true
    /// How far a counter went up; 1 for any other event. Only of a list with `subjects`.
    var amount: Int64 {
        mutating get { scan.part.amount(hit) }
    }

    private let list: EventList
    private var scan: SegmentScan
    private var days: LocalDays
    private var resources: ResourceSet
    private var segment = 0
    /// The first `hitCount` are the events of the part that have one of the names; the others are
    /// left from earlier parts.
    private var hits: [SegmentReader.Found] = []
    private var hitCount = 0
    private var hit = SegmentReader.Found.none
    private var nextHit = 0
    /// Whether the whole part lies in the window.
    private var isWithin = true
    /// Whether the part matches the filters.
    private var isMatch = true
    /// The day of all its events, where it is only one, and in the range.
    private var partDay: Int?
    /// Whether no event of the part lies in the range.
    private var isOutside = false
    /// By index in the segment: the number that the report gave a subject; −1: none yet.
    private var codes: [Int] = []

    /// A scan of a list, or of a share of it.
    init(_ list: EventList) {
        self.list = list
        scan = SegmentScan(list.segments, list.columns)
        days = list.days
        resources = list.resources
    }

    /// Moves to the next event. False after the last one. Throws what the database throws.
    /// - Parameter devices: whether events of a device, by its row, matter: the scan may skip
    ///   others
    mutating func next(
        of devices: (Int64) -> Bool = { _ in true }
    ) throws(StorageError) -> Bool {
        while true {
            while nextHit < hitCount {
                hit = hits[nextHit]
                nextHit &+= 1
                guard isInScope() else { continue }
                name = scan.part.nameRows[Int(hit.name)]
                return true
            }
            guard try scan.next() else { return false }
            hitCount = 0
            nextHit = 0
            if devices(scan.part.device) { try begin() }
        }
    }

    /// The number of the current event's subject; nil without one. `body` gives each subject a
    /// number, once per segment. Only for events of names that have subjects.
    mutating func subjectCode(
        _ body: (Span<UInt8>) -> Int
    ) -> Int? {
        let subject = scan.part.subjectCode(hit)
        if codes[subject] >= 0 { return codes[subject] }
        let text = scan.part.subject(subject)
        if text.isEmpty { return nil }
        codes[subject] = body(text.span)
        return codes[subject]
    }

    /// Whether the list has the event; sets `counts`.
    @inline(__always)
    private mutating func isInScope() -> Bool {
        var isInRange = true
        if let partDay {
            day = partDay
        } else if !isOutside, let day = days.day(at: time), list.range.contains(day) {
            self.day = day
        } else {
            isInRange = false
        }
        guard let window = list.window else { return isInRange }
        counts = isInRange && isMatch
        return isWithin || window.contains(time)
    }

    /// Begins the scan's current part, unless none of its events can count.
    private mutating func begin() throws(StorageError) {
        if segment != scan.segment { beginSegment() }
        isMatch = try resources.contains(scan.part.resource)
        guard isMatch || list.window != nil else { return }
        partDay = nil
        isOutside = days.isFar(from: scan.part.first, to: scan.part.last)
        if let span = days.days(from: scan.part.first, to: scan.part.last) {
            isOutside = !span.overlaps(list.range)
            if span.count == 1, !isOutside { partDay = span.lowerBound }
        }
        if isOutside, list.window == nil { return }
        isWithin =
            list.window.map { $0.contains(scan.part.first) && $0.contains(scan.part.last) } ?? true
        if partDay == nil && !isOutside || !isWithin { try scan.load(.times) }
        hitCount = scan.part.find(into: &hits)
    }

    private mutating func beginSegment() {
        segment = scan.segment
        scan.part.look { list.names.contains($0) }
        if list.hasSubjects {
            codes.removeAll(keepingCapacity: true)
            codes += repeatElement(-1, count: scan.part.subjects)
        }
    }
}
