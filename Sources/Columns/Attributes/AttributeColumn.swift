/// What the events of one name have for one attribute, in one segment: a number for each event, and
/// the texts that the numbers stand for. It is read from the block of the segment (`AttributeBlock`), or else
/// made of rows for who asks (`AttributeRows`), and kept in memory for who asks again.
package final class AttributeColumn: Sendable {
    /// Of each part of the segment: how many such events the parts before it have; and how many there
    /// are. Empty where there are none.
    package let starts: [Int32]
    /// The texts, where all of them are short decimals.
    private let decimals: [DecimalText]
    /// Else the texts, one after the other.
    private let bytes: [UInt8]
    /// Where each of them ends.
    private let ends: [UInt32]
    /// A number of `width` bits for each event.
    private let codes: PackedReader
    private let width: UInt64

    /// - Parameters:
    ///   - starts: as they are kept
    ///   - codes: of each event, in order of parts and within one in theirs; 0 is no value
    ///   - texts: of the other numbers, which are one higher here
    init(starts: [Int32], codes: some Sequence<Int32>, texts: borrowing SubjectTable) {
        self.starts = starts
        width = PackedWriter.width(of: UInt64(texts.count))
        var packed = PackedWriter()
        if width > 0 {
            for code in codes { packed.append(UInt64(UInt32(bitPattern: code)), width: width) }
            packed.align()
        }
        var reader = PackedReader()
        reader.load(PackedReader.padded(packed.bytes))
        self.codes = reader
        decimals = Self.decimals(of: texts)
        var bytes: [UInt8] = []
        var ends: [UInt32] = []
        for number in decimals.count..<texts.count {
            bytes += texts[number]
            // A segment has far less than 4 GiB of texts.
            ends.append(UInt32(truncatingIfNeeded: bytes.count))
        }
        (self.bytes, self.ends) = (bytes, ends)
        count = texts.count + 1
        size =
            starts.count * 4 + packed.bytes.count + bytes.count + ends.count * 4
            + decimals.count * MemoryLayout<DecimalText>.stride
    }

    /// Of packed numbers, and of texts that are all short decimals, or none of them.
    /// - Parameters:
    ///   - codes: of each event a number that is at most the count of texts, in as few bits as that needs
    ///   - bytes: the texts, one after the other
    ///   - ends: where each of them ends
    init(
        starts: [Int32], codes: PackedReader, codeBytes: Int, decimals: [DecimalText],
        bytes: [UInt8], ends: [UInt32]
    ) {
        self.starts = starts
        self.codes = codes
        (self.decimals, self.bytes, self.ends) = (decimals, bytes, ends)
        let texts = decimals.count + ends.count
        width = PackedWriter.width(of: UInt64(texts))
        count = texts + 1
        size =
            starts.count * 4 + codeBytes + bytes.count + ends.count * 4
            + decimals.count * MemoryLayout<DecimalText>.stride
    }

    /// No event has a value.
    /// - Parameter starts: as they are kept
    convenience init(starts: [Int32]) {
        var codes = PackedReader()
        codes.load(PackedReader.padded([]))
        self.init(
            starts: starts, codes: codes, codeBytes: 0, decimals: [], bytes: [], ends: [])
    }

    /// All or none.
    private static func decimals(of texts: borrowing SubjectTable) -> [DecimalText] {
        var decimals: [DecimalText] = []
        for number in 0..<texts.count {
            guard let decimal = DecimalText(texts[number].span) else { return [] }
            if number == 0 { decimals.reserveCapacity(texts.count) }
            decimals.append(decimal)
        }
        return decimals
    }

    /// Bytes that it takes, about.
    package let size: Int

    /// How many numbers there are, 0 included.
    package let count: Int

    /// How many events of the name the segment has.
    package var eventCount: Int { Int(starts.last ?? 0) }

    /// Appends the numbers of the values of all events; 0 where one has none.
    package func append(to numbers: inout [Int32]) {
        if width == 0 {
            numbers += repeatElement(0, count: eventCount)
            return
        }
        numbers.append(addingCapacity: eventCount) { (out: inout OutputSpan<Int32>) in
            for event in 0..<eventCount {
                out.append(
                    Int32(truncatingIfNeeded: codes.number(at: event &* Int(width), width: width)))
            }
        }
    }

    /// Calls `body` with the text of a number above 0: a JSON scalar as stored by us.
    package func withText<T>(_ code: Int, _ body: (Span<UInt8>) -> T) -> T {
        if !decimals.isEmpty { return decimals[code - 1].withText(body) }
        let text = bytes[(code < 2 ? 0 : Int(ends[code - 2]))..<Int(ends[code - 1])]
        return body(text.span)
    }

    /// Appends what each number above 0 stands for, as the double nearest to it, where all are short decimals.
    /// - Returns: false where they are not: nothing was appended
    package func appendDecimals(to doubles: inout [Double]) -> Bool {
        for decimal in decimals { doubles.append(decimal.number) }
        return !decimals.isEmpty
    }
}

/// Which attribute of events is asked for.
package enum AttributeKey: Hashable, Sendable {
    /// One by its row of `attribute_key`.
    case row(Int64)
    /// `session.id`, which is stored apart from the others.
    case session
    /// One that no event has had yet.
    case none
}
