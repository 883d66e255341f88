/// Makes columns of attributes for a segment: takes rows of its events, part by part
/// in the order of rows, and brings it into the order in which the segment has the events.
package struct AttributeTarget {
    /// The parts that have events of the name, and their batches.
    package private(set) var batches: [(part: Int, batch: Int64)] = []
    /// The segment is not what was written.
    package private(set) var isBroken = false

    private let packed: SegmentReader.Packed
    /// Row of the name.
    private let name: Int64
    /// As `AttributeColumn` has them.
    private var starts: [Int32] = [0]
    /// Of each event, in the order of parts.
    private var order = EventOrder()
    /// By key, of each event.
    private var codes: [[Int32]]
    private var texts: [SubjectTable]
    /// How many texts there are, by key.
    private var codeCounts: [Int]
    /// Bytes that these take, about.
    package private(set) var textBytes = 0

    /// What a text takes besides its bytes: its end, its hash and its slots.
    private static let overhead = 24

    /// Bytes of its rows, once they are begun.
    package var bytes: Int {
        order.bytes + codes.reduce(0) { $0 + $1.capacity * 4 }
    }

    /// - Parameters:
    ///   - packed: with times and names
    ///   - name: row of the events' name
    ///   - keys: how many
    package init(_ packed: SegmentReader.Packed, name: Int64, keys: Int) {
        self.packed = packed
        self.name = name
        codes = [[Int32]](repeating: [], count: keys)
        texts = [SubjectTable](repeating: SubjectTable(), count: keys)
        codeCounts = [Int](repeating: 0, count: keys)
        var reader = SegmentReader([.names])
        reader.begin(packed)
        if let index = reader.nameRows.firstIndex(of: name) {
            var total: Int32 = 0
            while reader.next() {
                reader.readNames()
                let count = reader.names.count { Int($0) == index }
                if count > 0 { batches.append((part: reader.number, batch: reader.batch)) }
                total &+= Int32(truncatingIfNeeded: count)
                starts.append(total)
            }
        }
        isBroken = reader.isBroken
    }

    /// How many events of the name it has.
    package var count: Int { Int(starts[starts.count - 1]) }

    /// Its day.
    package var day: Int64 { packed.day }

    /// How many of them a part has.
    package func count(ofPart part: Int) -> Int { Int(starts[part + 1] - starts[part]) }

    /// Begins to take rows.
    package mutating func begin() {
        order.rows = [EventOrder.Row](repeating: EventOrder.Row(), count: count)
        for key in codes.indices { codes[key] = [Int32](repeating: 0, count: count) }
    }

    /// Takes the next row of a part.
    /// - Parameters:
    ///   - place: how many of the part's rows came before it
    ///   - session: hash of its session's id; nil without one
    /// - Returns: the index of the event for `set`
    package mutating func add(_ index: Int, ofPart part: Int, time: Int64, session: UInt64?) -> Int
    {
        let event = Int(starts[part]) + index
        order.rows[event] = EventOrder.Row(
            time: time, session: session ?? 0, hasSession: session != nil,
            index: Int32(truncatingIfNeeded: event))
        return event
    }

    /// The event's value of an attribute, by the key's index.
    package mutating func set(_ text: Span<UInt8>, _ key: Int, ofEvent event: Int) {
        let number = texts[key].number(of: text)
        // Each new one has the next number.
        if Int(number) >= codeCounts[key] {
            codeCounts[key] = Int(number) + 1
            textBytes += text.count + Self.overhead
        }
        codes[key][event] = number + 1
    }

    /// The columns, when all rows have come, or without any; nil where they are not those of the
    /// segment's events.
    package mutating func columns() -> [AttributeColumn]? {
        if !order.rows.isEmpty, !bringIntoOrder() { return nil }
        var columns: [AttributeColumn] = []
        for key in codes.indices {
            let codes = codes[key]
            columns.append(
                AttributeColumn(
                    starts: count == 0 ? [] : starts,
                    codes: order.rows.lazy.map { codes[Int($0.index)] }, texts: texts[key]))
        }
        return columns
    }

    /// Brings the rows into the order of the segment.
    private mutating func bringIntoOrder() -> Bool {
        var reader = SegmentReader([.times, .names])
        reader.begin(packed)
        guard let name = reader.nameRows.firstIndex(of: name) else { return false }
        var part = 0
        while reader.next() {
            guard part < batches.count, batches[part].part == reader.number else { continue }
            part += 1
            reader.readNames()
            reader.readTimes()
            if reader.isBroken { return false }
            let range = Int(starts[reader.number])..<Int(starts[reader.number + 1])
            order.sort(range, by: reader.groups, of: reader.device)
            var next = range.lowerBound
            for (number, group) in reader.groups.enumerated() {
                for index in group.range where Int(reader.names[index]) == name {
                    guard Int(order.rows[next].group) == number,
                        order.rows[next].time == reader.times[index]
                    else { return false }
                    next += 1
                }
            }
        }
        return !reader.isBroken
    }
}
