/// Makes the block of attributes of a segment: takes the rows of all its events, part by part in the order of
/// rows, and brings them into the order in which the segment has the events.
package struct AttributeBlockBuilder {
    /// An attribute of the events of a name.
    fileprivate struct Pair {
        /// Index of the name among the segment's.
        let name: Int
        /// Row of `attribute_key`.
        let key: Int64
        /// Of the events that have it, in the order of rows, and the number of the text.
        var events: [Int32] = []
        var codes: [Int32] = []
        var texts = SubjectTable()
        /// Its texts are too long, or stand elsewhere.
        var isLeftOut = false

        /// Whether its texts alone take more than so many bytes; short decimals take far less in a column.
        func isTooLong(for bytes: Int) -> Bool { texts.size > 8 * bytes }

        /// No text is held any more.
        mutating func leaveOut() {
            (isLeftOut, codes, texts) = (true, [], SubjectTable())
        }
    }

    /// The parts of the segment, and their batches.
    package private(set) var batches: [(part: Int, batch: Int64)] = []
    /// The segment is not what was written.
    package private(set) var isBroken = false

    private let packed: SegmentReader.Packed
    private let nameRows: [Int64]
    /// The index of each row in `nameRows`.
    private let nameIndices: [Int64: Int]
    /// Of each part, how many events those before it have; and how many there are.
    private var starts: [Int32] = [0]
    private var order = EventOrder()
    /// Of each row, the index of its name.
    private var names: [Int32] = []
    private var pairs: [Pair] = []
    /// Indices of pairs, by the index of their name.
    private var pairsOfName: [[Int]]
    /// Not all attributes are in `pairs`.
    private var isWhole = true
    /// Bytes that pairs take, about.
    private var held = 0
    /// Index of the last name that was asked for.
    private var lastName = 0

    /// How many pairs are followed, and how many get a column. Anybody with an app's key can invent names and keys.
    private static let maxPairs = 256
    package static let maxColumns = 64
    /// How many bytes a column may take for each of its values, and the block for each event: to make a column
    /// of values that are all different would gain little. Small segments may have a few more.
    private static let bytesPerValue = 3
    private static let bytesPerEvent = 3
    private static let anyway = 64
    /// How many bytes all pairs may take meanwhile, and what a value and a text take of that.
    private static let maxHeld = 32 << 20
    private static let valueBytes = 8
    private static let textBytes = 24

    /// - Parameter packed: with times and names
    package init(_ packed: SegmentReader.Packed) {
        self.packed = packed
        var reader = SegmentReader([.names])
        reader.begin(packed)
        nameRows = reader.nameRows
        nameIndices = Dictionary(
            zip(nameRows, nameRows.indices), uniquingKeysWith: { first, _ in first })
        pairsOfName = [[Int]](repeating: [], count: reader.nameRows.count)
        while reader.next() {
            batches.append((part: reader.number, batch: reader.batch))
            starts.append(starts[starts.count - 1] &+ Int32(truncatingIfNeeded: reader.count))
        }
        isBroken = reader.isBroken
        order.rows = [EventOrder.Row](repeating: EventOrder.Row(), count: count)
        names = [Int32](repeating: 0, count: count)
    }

    /// How many events the segment has.
    package var count: Int { Int(starts[starts.count - 1]) }

    /// Its day.
    package var day: Int64 { packed.day }

    /// How many events a part has.
    package func count(ofPart part: Int) -> Int { Int(starts[part + 1] - starts[part]) }

    /// Takes the next row of a part.
    /// - Parameters:
    ///   - index: how many of the part's rows came before it
    ///   - session: hash of its session's id; nil without one
    /// - Returns: the index of the event for `set`; nil where the segment has no such name
    package mutating func add(
        _ index: Int, ofPart part: Int, _ name: SegmentName, time: Int64, session: UInt64?
    ) -> Int? {
        if !nameRows.indices.contains(lastName) || nameRows[lastName] != name.row {
            guard let found = nameIndices[name.row] else { return nil }
            lastName = found
        }
        let event = Int(starts[part]) + index
        order.rows[event] = EventOrder.Row(
            time: time, session: session ?? 0, hasSession: session != nil,
            kind: name.kind.rawValue, index: Int32(truncatingIfNeeded: event))
        names[event] = Int32(truncatingIfNeeded: lastName)
        return event
    }

    /// The event's value of an attribute.
    /// - Parameters:
    ///   - text: a JSON scalar as stored; nil where the segment itself has it
    ///   - key: row of `attribute_key`
    package mutating func set(_ text: Span<UInt8>?, _ key: Int64, ofEvent event: Int) {
        let name = Int(names[event])
        let index: Int
        if let known = pairsOfName[name].first(where: { pairs[$0].key == key }) {
            index = known
        } else {
            guard pairs.count < Self.maxPairs else {
                isWhole = false
                return
            }
            index = pairs.count
            pairs.append(Pair(name: name, key: key))
            pairsOfName[name].append(index)
        }
        guard !pairs[index].isLeftOut else { return }
        guard let text else { return pairs[index].leaveOut() }
        let before = pairs[index].texts.count
        let code = pairs[index].texts.number(of: text)
        pairs[index].events.append(Int32(truncatingIfNeeded: event))
        pairs[index].codes.append(code + 1)
        held += Self.valueBytes
        if pairs[index].texts.count > before { held += text.count + Self.textBytes }
        // It can only become more.
        if pairs[index].isTooLong(for: Self.bytesPerValue * count + Self.anyway)
            || held > Self.maxHeld
        {
            pairs[index].leaveOut()
        }
    }

    /// The block, when all rows have come; nil where they are not those of the segment's events.
    package mutating func block() -> [UInt8]? {
        guard let places = places() else { return nil }
        // Of each name how many events each part has.
        var eventsOfName = [Int](repeating: 0, count: nameRows.count)
        for name in names { eventsOfName[Int(name)] += 1 }
        var listed = Array(
            pairs.indices.sorted { first, second in
                let (a, b) = (pairs[first].events.count, pairs[second].events.count)
                return a != b ? a > b : first < second
            }.prefix(Self.maxColumns))
        var room = Self.bytesPerEvent * count + Self.anyway
        var columns: [Int: [UInt8]] = [:]
        for index in listed where !pairs[index].isLeftOut {
            let pair = pairs[index]
            let column = pair.column(of: eventsOfName[pair.name], places)
            guard column.count <= Self.bytesPerValue * pair.events.count + Self.anyway,
                column.count <= room
            else { continue }
            columns[index] = column
            room -= column.count
        }
        listed.sort { pairs[$0].name != pairs[$1].name ? pairs[$0].name < pairs[$1].name : $0 < $1 }
        return write(listed, columns, isWhole: isWhole && listed.count == pairs.count)
    }

    private func write(_ listed: [Int], _ columns: [Int: [UInt8]], isWhole: Bool) -> [UInt8] {
        let parts = starts.count - 1
        var out = PackedWriter()
        out.append(isWhole ? AttributeBlock.Flag.isWhole : 0)
        out.append(UInt64(parts))
        var rest = PackedWriter()
        var heads: [(name: Int, width: UInt64)] = []
        for index in listed where heads.last?.name != pairs[index].name {
            let name = pairs[index].name
            let counts = (0..<parts).map { part in
                names[Int(starts[part])..<Int(starts[part + 1])].count { Int($0) == name }
            }
            let width = PackedWriter.width(of: UInt64(counts.max() ?? 0))
            heads.append((name, width))
            for count in counts { rest.append(UInt64(count), width: width) }
            rest.align()
            for pair in listed where pairs[pair].name == name { rest.append(columns[pair] ?? []) }
        }
        out.append(UInt64(heads.count))
        for (name, width) in heads {
            out.append(UInt64(bitPattern: nameRows[name]))
            out.append(width)
            let keys = listed.filter { pairs[$0].name == name }
            out.append(UInt64(keys.count))
            for pair in keys {
                out.append(UInt64(bitPattern: pairs[pair].key))
                out.append(UInt64(columns[pair]?.count ?? 0))
            }
        }
        out.append(rest.bytes)
        return out.bytes
    }

    /// Of each row the index of its event among those of its name, in the order of the segment; nil where rows and
    /// segment are not of the same events.
    private mutating func places() -> [Int32]? {
        var reader = SegmentReader([.times, .names])
        reader.begin(packed)
        var places = [Int32](repeating: 0, count: count)
        var next = [Int32](repeating: 0, count: nameRows.count)
        while reader.next() {
            reader.readNames()
            reader.readTimes()
            if reader.isBroken { return nil }
            let start = Int(starts[reader.number])
            order.sort(
                start..<Int(starts[reader.number + 1]), by: reader.groups, of: reader.device)
            for (number, group) in reader.groups.enumerated() {
                for index in group.range {
                    let row = order.rows[start + index]
                    let name = names[Int(row.index)]
                    guard Int(row.group) == number, row.time == reader.times[index],
                        name == reader.names[index]
                    else { return nil }
                    places[Int(row.index)] = next[Int(name)]
                    next[Int(name)] += 1
                }
            }
        }
        return reader.isBroken ? nil : places
    }
}

extension AttributeBlockBuilder.Pair {
    /// As a block has it.
    /// - Parameters:
    ///   - events: how many of the name there are
    ///   - places: of each row
    fileprivate func column(of events: Int, _ places: [Int32]) -> [UInt8] {
        var out = PackedWriter()
        let numbers = writeTexts(to: &out)
        var codes = [Int32](repeating: 0, count: events)
        for (event, code) in zip(self.events, self.codes) {
            codes[Int(places[Int(event)])] = numbers[Int(code) - 1]
        }
        let width = PackedWriter.width(of: UInt64(texts.count))
        for code in codes { out.append(UInt64(UInt32(bitPattern: code)), width: width) }
        out.align()
        return out.bytes
    }

    /// - Returns: of each text the number that it has in the column
    private func writeTexts(to out: inout PackedWriter) -> [Int32] {
        var decimals: [(text: DecimalText, number: Int)] = []
        for number in 0..<texts.count {
            guard let decimal = DecimalText(texts[number].span) else { break }
            decimals.append((decimal, number))
        }
        guard decimals.count == texts.count else {
            out.append(AttributeBlock.Form.texts)
            out.append(UInt64(texts.count))
            for number in 0..<texts.count {
                out.append(UInt64(texts[number].count))
                out.append(texts[number])
            }
            return (0..<texts.count).map { Int32(truncatingIfNeeded: $0 + 1) }
        }
        decimals.sort { ($0.text.after, $0.text.digits) < ($1.text.after, $1.text.digits) }
        var numbers = [Int32](repeating: 0, count: decimals.count)
        out.append(AttributeBlock.Form.decimals)
        let groups = Dictionary(grouping: decimals.indices) { decimals[$0].text.after }
        out.append(UInt64(groups.count))
        for (after, group) in groups.sorted(by: { $0.key < $1.key }) {
            out.append(UInt64(after))
            out.append(UInt64(group.count))
            var last: Int64?
            for index in group {
                let digits = decimals[index].text.digits
                if let last {
                    out.append(UInt64(bitPattern: digits &- last))
                } else {
                    out.append(signed: digits)
                }
                last = digits
                numbers[decimals[index].number] = Int32(truncatingIfNeeded: index + 1)
            }
        }
        return numbers
    }
}
