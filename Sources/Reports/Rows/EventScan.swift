import Events
import Storage

/// All events of the days of a question that its filters let through, batch after batch, each once,
/// perhaps only those of some names; from segments (docs/design.md, Segments):
///
///     var scan = try EventScan(question, names: [counter], subjects: true, reading)
///     while try scan.next() { … scan.device … scan.subject … }
///
/// Reports in which other events decide too ask for a stretch of time instead; `counts` then tells
/// which events the question is about.
struct EventScan: ~Copyable {
    /// Row of the current event's device.
    var device: Int64 { scan.part.device }
    /// Row of its batch.
    var batch: Int64 { scan.part.batch }
    /// Its time, milliseconds since 1970-01-01T00:00:00Z.
    var time: Int64 {
        mutating get {
            // Where the days of parts tell enough nobody asks for it.
            scan.part.readTimes()
            return scan.part.times[hit.place]
        }
    }
    /// Its local day (number), where it lies in the range of the question.
    private(set) var day = 0
    /// Row of its name.
    private(set) var name: Int64 = 0
    /// Whether it lies in the range of the question and passes its filters.
    private(set) var counts = true
    /// How far a counter went up; 1 for what is none. Only for events of names that have a subject.
    var amount: Int64 {
        mutating get {
            scan.part.readSubjects()
            return hit.subject < scan.part.amounts.count ? scan.part.amounts[hit.subject] : 1
        }
    }
    /// Rows of the names asked for; −1 where no event has had it yet.
    let names: [Int64]

    /// Every instant that an event can have.
    static let always: Range<Int64> = -(1 << 53)..<(1 << 53) + 1

    private var scan: SegmentScan
    private let resources: ResourceSet
    private var days: LocalDays
    private let range: ClosedRange<Int>
    /// The stretch of time asked for; nil: the range and the filters of the question.
    private let window: Range<Int64>?
    private let isOfAllNames: Bool
    private let hasSubjects: Bool
    private static let hasSubject: UInt8 = 1
    private static let isWanted: UInt8 = 2
    /// Of the names of the segment, by place.
    private var marks: [UInt8] = []
    private var segment = 0
    /// An event of the part, of a name that is asked for.
    private struct Hit {
        var place = 0
        var name = 0
        /// How many events with a subject come before it.
        var subject = 0
    }

    private var hits: [Hit] = []
    private var hit = Hit()
    private var nextHit = 0
    /// The stretch has the whole part in it.
    private var isWithin = true
    /// The filters let the part through.
    private var isLetThrough = true
    /// The day of all its events, where it is only one, and in the range.
    private var partDay: Int?
    /// By place in the segment: the number that the report gave a subject; −1 before.
    private var codes: [Int] = []

    /// - Parameters:
    ///   - names: only events of these names, each once; nil: of all names
    ///   - subjects: `subject` and `amount` will be asked for
    ///   - window: milliseconds since 1970-01-01T00:00:00Z; all events in it come, and `counts` tells
    ///     of each whether the question is about it; nil: only those come
    init(
        _ question: Question, names: [ByteText]? = nil, subjects: Bool = false,
        window: Range<Int64>? = nil, _ reading: Reading
    ) throws(StorageError) {
        var rows: [Int64] = []
        for name in names ?? [] { rows.append(try EventNames.row(of: name, reading) ?? -1) }
        let resources = try ResourceSet(question.filter, reading)
        let scan = try reading.segments(
            of: question.app.id,
            window ?? question.zone.window(from: question.from, to: question.to),
            subjects ? [.times, .names, .subjects] : [.times, .names])
        // All or none: a value that cannot be copied is never half there.
        self.names = rows
        self.scan = scan
        self.resources = resources
        days = LocalDays(question.zone, from: question.from, to: question.to)
        range = question.from.number...question.to.number
        self.window = window
        isOfAllNames = names == nil
        hasSubjects = subjects
    }

    /// Goes to the next event. False behind the last one. Throws what the database throws.
    /// - Parameter devices: whether events of a device, by its row, matter: others may be left out
    mutating func next(
        of devices: (Int64) -> Bool = { _ in true }
    ) throws(StorageError) -> Bool {
        while true {
            while nextHit < hits.count {
                hit = hits[nextHit]
                nextHit &+= 1
                guard isInScope() else { continue }
                name = scan.part.nameRows[hit.name]
                return true
            }
            guard try scan.next() else { return false }
            hits.removeAll(keepingCapacity: true)
            nextHit = 0
            if devices(scan.part.device) { begin() }
        }
    }

    /// The number of the current event's subject, as `body` gives it once a segment; nil where it has
    /// none. Only for events of names that have one.
    mutating func subjectCode(
        _ body: (Span<UInt8>) -> Int
    ) -> Int? {
        let place = scan.part.subjectCode(hit.subject)
        if codes[place] >= 0 { return codes[place] }
        let text = scan.part.subject(place)
        if text.isEmpty { return nil }
        codes[place] = body(text.span)
        return codes[place]
    }

    /// Whether the event is one that was asked for, and whether it counts.
    @inline(__always)
    private mutating func isInScope() -> Bool {
        var isInRange = true
        if let partDay {
            day = partDay
        } else if let day = days.day(at: time), range.contains(day) {
            self.day = day
        } else {
            isInRange = false
        }
        guard let window else { return isInRange }
        counts = isInRange && isLetThrough
        return isWithin || window.contains(time)
    }

    /// Goes on with the part on which the scan stands, unless none of its events can count.
    private mutating func begin() {
        if segment != scan.segment { beginSegment() }
        isLetThrough = resources.contains(scan.part.resource)
        guard isLetThrough || window != nil else { return }
        partDay = nil
        if let span = days.days(from: scan.part.first, to: scan.part.last) {
            guard span.overlaps(range) || window != nil else { return }
            if span.count == 1, range.contains(span.lowerBound) { partDay = span.lowerBound }
        }
        isWithin =
            window.map { $0.contains(scan.part.first) && $0.contains(scan.part.last) } ?? true
        scan.part.readNames()
        var subject = 0
        for (place, name) in scan.part.names.enumerated() {
            let mark = marks[Int(name)]
            if mark & Self.isWanted != 0 {
                hits.append(Hit(place: place, name: Int(name), subject: subject))
            }
            subject &+= Int(mark & Self.hasSubject)
        }
    }

    private mutating func beginSegment() {
        segment = scan.segment
        marks.removeAll(keepingCapacity: true)
        for (place, row) in scan.part.nameRows.enumerated() {
            var mark: UInt8 = isOfAllNames || names.contains(row) ? Self.isWanted : 0
            if scan.part.nameHasSubject[place] { mark |= Self.hasSubject }
            marks.append(mark)
        }
        if hasSubjects {
            codes.removeAll(keepingCapacity: true)
            codes += repeatElement(-1, count: scan.part.subjects)
        }
    }
}
