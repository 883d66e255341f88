import Columns
import Database
import Events
import Storage
import TimeZones

/// Events of a list that its filters let through, batch after batch, each once; or the share of them that
/// no other scan of the list takes; from segments (docs/design.md, Segments):
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
            // Where the days of parts tell enough nobody asks for it.
            scan.part.readTimes()
            return scan.part.times[Int(hit.index)]
        }
    }
    /// Its local day (number), where it lies in the range of the question.
    private(set) var day = 0
    /// Row of its name.
    private(set) var name: Int64 = 0
    /// Whether it lies in the range of the question and passes its filters.
    private(set) var counts = true
    /// How far a counter went up; 1 for what is none. Only of a list with `subjects`.
    var amount: Int64 {
        mutating get { scan.part.amount(hit) }
    }

    private let list: EventList
    private var scan: SegmentScan
    private var days: LocalDays
    private var resources: ResourceSet
    private var segment = 0
    /// Events of the part, of names that are asked for; what follows them is of other parts.
    private var hits: [SegmentReader.Found] = []
    private var hitCount = 0
    private var hit = SegmentReader.Found.none
    private var nextHit = 0
    /// The stretch has the whole part in it.
    private var isWithin = true
    /// The filters let the part through.
    private var isLetThrough = true
    /// The day of all its events, where it is only one, and in the range.
    private var partDay: Int?
    /// No day of the range has an event of the part.
    private var isOutside = false
    /// By place in the segment: the number that the report gave a subject, or a name; −1 before.
    private var codes: [Int] = []
    private var nameCodes: [Int] = []

    /// The events of a list, or a share of them.
    init(_ list: EventList) {
        self.list = list
        scan = SegmentScan(list.segments, list.columns)
        days = list.days
        resources = list.resources
    }

    /// Goes to the next event. False behind the last one. Throws what the database throws.
    /// - Parameter devices: whether events of a device, by its row, matter: others may be left out
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

    /// The number of the current event's subject, as `body` gives it once a segment; nil where it has
    /// none. Only for events of names that have one.
    mutating func subjectCode(
        _ body: (Span<UInt8>) -> Int
    ) -> Int? {
        let place = scan.part.subjectCode(hit)
        if codes[place] >= 0 { return codes[place] }
        let text = scan.part.subject(place)
        if text.isEmpty { return nil }
        codes[place] = body(text.span)
        return codes[place]
    }

    /// The number of the current event's name, as `body` gives it once a segment.
    @inline(__always)
    mutating func nameCode(_ body: (Int64) -> Int) -> Int {
        let code = nameCodes[Int(hit.name)]
        if code >= 0 { return code }
        nameCodes[Int(hit.name)] = body(name)
        return nameCodes[Int(hit.name)]
    }

    /// Whether the event is one that was asked for, and whether it counts.
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
        counts = isInRange && isLetThrough
        return isWithin || window.contains(time)
    }

    /// Goes on with the part on which the scan stands, unless none of its events can count.
    private mutating func begin() throws(StorageError) {
        if segment != scan.segment { beginSegment() }
        isLetThrough = try resources.contains(scan.part.resource)
        guard isLetThrough || list.window != nil else { return }
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
        scan.part.look { list.isOfAllNames || list.names.contains($0) }
        nameCodes.removeAll(keepingCapacity: true)
        nameCodes += repeatElement(-1, count: scan.part.nameRows.count)
        if list.hasSubjects {
            codes.removeAll(keepingCapacity: true)
            codes += repeatElement(-1, count: scan.part.subjects)
        }
    }
}
