import Columns
import Database
import Storage
import TimeZones

/// The events of a list, with their attributes, each once, name after name of a part; or the share of them
/// that no other scan of the list takes:
///
///     let list = try AttributeList(question, names: [purchase], attributes: [key], reading)
///     var scan = AttributeScan(list)
///     while try scan.next() { … scan.device … scan.value(0) { text in codes.code(ofScalar: text) } … }
///
/// What events have stands in columns (`AttributeColumn`), so that a text is looked at once a segment;
/// the time of an event is read only where it is asked for, or decides.
struct AttributeScan: ~Copyable {
    /// Row of the current event's device.
    var device: Int64 { scan.part.device }
    /// Its local day (number).
    private(set) var day = 0
    /// Place of its name among those asked for.
    private(set) var name = 0

    private let list: AttributeList
    private var days: LocalDays
    private var resources: ResourceSet
    private var scan: SegmentScan
    private var segment = 0
    /// Of the segment, for each name one for each key; none for a name that no event has had yet.
    private var columns: [[AttributeColumn]] = []
    /// What `value` was told of texts: of each name and key those of the segment, by number, from the
    /// place in `firsts` on.
    private var values: [Int] = []
    private var firsts: [Int] = []
    /// Numbers of the events of the name in the part, key by key.
    private var codes: [Int32] = []

    /// The next event of its name in the part, and how many there are.
    private var place = 0
    private var end = 0
    /// The day of all events of the part, where it is only one.
    private var partDay: Int?
    /// Times of the events of the name in the part are known.
    private var hasTimes = false
    private var times: [Int64] = []

    /// What no text has.
    private static let unknown = Int.min

    /// The events of a list, or a share of them.
    init(_ list: AttributeList) {
        self.list = list
        scan = SegmentScan(list.segments, [.times, .names])
        days = list.days
        resources = list.resources
    }

    /// Goes to the next event. False behind the last one. Throws what the database throws.
    mutating func next() throws(StorageError) -> Bool {
        while true {
            while place < end {
                place &+= 1
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
            scan.part.readNames()
            scan.part.readTimes()
            try scan.check()
            times.removeAll(keepingCapacity: true)
            let name = Int32(scan.part.nameRows.firstIndex { $0 == list.names[self.name] } ?? -1)
            let (partNames, partTimes) = (scan.part.names, scan.part.times)
            for at in 0..<partNames.count where partNames[at] == name {
                times.append(partTimes[at])
            }
            guard times.count == end else { throw scan.damage }
        }
        return times[place - 1]
    }

    /// What `body` says of the text that the current event has for an attribute, a JSON scalar as
    /// stored by us: it is called once a segment for each text. Nil where the event has none.
    @inline(__always)
    mutating func value(_ key: Int, _ body: (Span<UInt8>) -> Int) -> Int? {
        let code = Int(codes[key &* end &+ place &- 1])
        if code == 0 { return nil }
        let at = firsts[name &* list.keys.count &+ key] &+ code
        if values[at] != Self.unknown { return values[at] }
        let value = body(columns[name][key].text(code).span)
        values[at] = value
        return value
    }

    /// Goes on with the part on which the scan stands, unless none of its events can count.
    private mutating func begin() throws(StorageError) {
        (name, place, end) = (columns.count, 0, 0)
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
        (place, end) = (0, 0)
        guard !columns[name].isEmpty else { return }
        let events = columns[name][0].events(ofPart: scan.part.number)
        if events.isEmpty { return }
        (end, hasTimes) = (events.count, false)
        codes.removeAll(keepingCapacity: true)
        for key in list.keys.indices { columns[name][key].append(events, to: &codes) }
    }

    private mutating func beginSegment() throws(StorageError) {
        segment = scan.segment
        columns.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        firsts.removeAll(keepingCapacity: true)
        for name in list.names {
            var found: [AttributeColumn] = []
            if let name { found = try scan.attributes(list.keys, ofName: name) }
            columns.append(found)
            for place in list.keys.indices {
                firsts.append(values.count)
                guard place < found.count else { continue }
                values += repeatElement(Self.unknown, count: found[place].count)
            }
        }
    }
}
