import Columns
import Database
import Storage
import TimeZones

/// Scans the events of a list with their attributes, each once, name by name within a part; or the
/// share of them that no other scan of the list takes:
///
///     let list = try AttributeList(question, names: [purchase], attributes: [key], reading)
///     var scan = AttributeScan(list)
///     while try scan.next() {
///         … scan.device … scan.value(0) { text in codes.code(ofScalar: text) } …
///     }
///
/// Attributes come in columns (`AttributeColumn`), so each text is looked at once per segment; the
/// time of an event is read only if the caller asks for it, or if it decides the day.
struct AttributeScan: ~Copyable {
    /// Row of the current event's device.
    var device: Int64 { scan.part.device }
    /// Row of its batch's resource.
    var resource: Int64 { scan.part.resource }
    /// Its local day (number).
    private(set) var day = 0
    /// Index of its name in the list.
    private(set) var name = 0

    private let list: AttributeList
    private var days: LocalDays
    private var resources: ResourceSet
    private var scan: SegmentScan
    /// Counts the segments: texts are looked at once in each.
    private(set) var segment = 0
    /// The segment's columns by name and key; none for a name that no event has had yet.
    private var columns: [[AttributeColumn]] = []
    /// By name: what of its events the segment has.
    private var places: [Places] = []
    /// Of each part the index of the first event of the name among those of the segment, name by name.
    private var starts: [Int32] = []
    /// Numbers of the texts that the segment's events have, name by name, and key by key; 0 for none.
    private(set) var codes: [Int32] = []
    /// The values that `value` got for the segment's texts, by number: those of each name and key
    /// begin at their offset in `firsts`.
    private var values: [Int] = []
    private var firsts: [Int] = []
    /// What these take.
    private var held: HeldBytes
    /// By name, its index among the names of the segment that was asked last.
    private var nameIndices: [Int] = []

    private struct Places {
        /// Where those of the name begin in `starts`, and how many parts there are.
        let start, parts: Int
        /// Where those of its first key begin in `codes`.
        let code: Int
        /// How many events of the name there are.
        let events: Int
    }

    /// The index of the next event of its name in the part, and how many there are.
    private var index = 0
    private var end = 0
    /// Where the codes of the first of them begin, for the first key, and how far from one key to the next.
    private var firstCode = 0
    private var keyStride = 0
    /// The day of all events of the part, where it is only one.
    private var partDay: Int?
    /// Whether `times` has the times of the name's events in the part.
    private var hasTimes = false
    private var times: [Int64] = []
    /// What is read of a segment only where times are asked for.
    private static let timed: SegmentReader.Columns = [.times, .names]

    /// Stands for a value that is not known yet.
    private static let unknown = Int.min

    /// A scan of a list, or of a share of it.
    init(_ list: AttributeList) {
        self.list = list
        scan = SegmentScan(list.segments, [], later: list.hasTimes ? Self.timed : [])
        held = HeldBytes(list.account)
        days = list.days
        resources = list.resources
    }

    /// Moves to the next event. False after the last one. Throws what the database throws.
    mutating func next() throws(StorageError) -> Bool {
        while true {
            while index < end {
                index &+= 1
                if let partDay {
                    day = partDay
                    return true
                }
                if let day = days.day(at: try time()), list.range.contains(day) {
                    self.day = day
                    return true
                }
            }
            if name + 1 < columns.count {
                name += 1
                beginName()
            } else {
                guard try scan.next() else { return false }
                try begin()
            }
        }
    }

    /// The time of the current event, milliseconds since 1970-01-01T00:00:00Z.
    mutating func time() throws(StorageError) -> Int64 {
        if !hasTimes {
            hasTimes = true
            try scan.load(Self.timed)
            scan.part.readNames()
            scan.part.readTimes()
            try scan.check()
            times.removeAll(keepingCapacity: true)
            let name = indexOfName()
            let (partNames, partTimes) = (scan.part.names, scan.part.times)
            for at in 0..<partNames.count where partNames[at] == name {
                times.append(partTimes[at])
            }
            guard times.count == end else { throw scan.damage }
        }
        return times[index - 1]
    }

    /// The index of the name among the segment's, which may be tens of thousands: as many as it has parts.
    private mutating func indexOfName() -> Int32 {
        while nameIndices.count <= name { nameIndices.append(0) }
        let known = nameIndices[name]
        if scan.part.nameRows.indices.contains(known),
            scan.part.nameRows[known] == list.names[name]
        {
            return Int32(truncatingIfNeeded: known)
        }
        let found = scan.part.nameRows.firstIndex { $0 == list.names[name] }
        nameIndices[name] = found ?? 0
        return Int32(truncatingIfNeeded: found ?? -1)
    }

    /// Takes the current event and those after it that are of the same name, part and day, as far as no
    /// time has to be read for that: the next one is the first after them.
    /// - Returns: where they are, for `codes` and `value`
    mutating func takeRun() -> Range<Int> {
        let first = index - 1
        if partDay != nil { index = end }
        return first..<index
    }

    /// Where the codes of an attribute are that a run's events have, in `codes`.
    func place(_ key: Int, of run: Range<Int>) -> Range<Int> {
        let first = firstCode &+ key &* keyStride
        return first &+ run.lowerBound..<first &+ run.upperBound
    }

    /// The end of a run's first events that have the same text of an attribute.
    @inline(__always)
    func end(of run: Range<Int>, with key: Int) -> Int {
        let start = firstCode &+ key &* keyStride
        var last = run.lowerBound &+ 1
        while last < run.upperBound, codes[start &+ last] == codes[start &+ run.lowerBound] {
            last &+= 1
        }
        return last
    }

    /// The value that `body` returns for the current event's text of an attribute, a JSON scalar as
    /// batches store it. Each text is passed to `body` once per segment. Nil without the attribute.
    @inline(__always)
    mutating func value(_ key: Int, _ body: (Span<UInt8>) -> Int) -> Int? {
        value(key, at: index &- 1, body)
    }

    /// The same for an event of a run.
    @inline(__always)
    mutating func value(_ key: Int, at event: Int, _ body: (Span<UInt8>) -> Int) -> Int? {
        let code = Int(codes[firstCode &+ key &* keyStride &+ event])
        if code == 0 { return nil }
        let at = firsts[name &* list.keys.count &+ key] &+ code
        if values[at] != Self.unknown { return values[at] }
        let value = columns[name][key].withText(code, body)
        values[at] = value
        return value
    }

    /// The segment's column of an attribute for the current name. Only after `next`.
    func column(_ key: Int) -> AttributeColumn { columns[name][key] }

    /// Begins the scan's current part, unless none of its events can count.
    private mutating func begin() throws(StorageError) {
        (name, index, end) = (columns.count, 0, 0)
        guard try resources.contains(scan.part.resource) else { return }
        if segment != scan.segment { try beginSegment() }
        partDay = nil
        if let span = days.days(from: scan.part.first, to: scan.part.last) {
            guard span.overlaps(list.range) else { return }
            if span.count == 1, list.range.contains(span.lowerBound) { partDay = span.lowerBound }
        }
        name = -1
    }

    private mutating func beginName() {
        (index, end) = (0, 0)
        let place = places[name]
        let part = scan.part.number
        guard part < place.parts else { return }
        let first = Int(starts[place.start &+ part])
        end = Int(starts[place.start &+ part &+ 1]) &- first
        (firstCode, keyStride) = (place.code &+ first, place.events)
        hasTimes = false
    }

    private mutating func beginSegment() throws(StorageError) {
        segment = scan.segment
        columns.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        codes.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        firsts.removeAll(keepingCapacity: true)
        for name in list.names {
            var found: [AttributeColumn] = []
            if let name { found = try scan.attributes(list.keys, ofName: name) }
            columns.append(found)
            // Those of all keys have the same events.
            let parts = found.first?.starts ?? []
            places.append(
                Places(
                    start: starts.count, parts: max(parts.count - 1, 0), code: codes.count,
                    events: found.first?.eventCount ?? 0))
            starts += parts
            for key in list.keys.indices {
                firsts.append(values.count)
                guard key < found.count else { continue }
                found[key].append(to: &codes)
                values += repeatElement(Self.unknown, count: found[key].count)
            }
        }
        held.set(starts.allocatedBytes + codes.allocatedBytes + values.allocatedBytes)
    }
}
