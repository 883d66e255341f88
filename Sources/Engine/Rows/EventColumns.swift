/// The events of one batch as the columns `event.…` of its row: an array a column, each already as the
/// row has it, but for its length. Filled event by event, of each its attributes first:
///
///     events.attribute(key: …, .number, text: …, number: 1.5)
///     events.add(place: 0, time: …, name: …, session: …, subject: …, value: …)
package struct EventColumns: Sendable {
    /// The columns, in order.
    package static let columns = [
        "event.place", "event.time", "event.name", "event.session", "event.subject", "event.value",
        "event.keys", "event.values", "event.numbers",
    ]

    /// What an attribute's value is: the letter before its text.
    package enum Kind: UInt8, Sendable {
        case string = 0x73
        case number = 0x6e
        case bool = 0x62
    }

    /// How many events there are.
    package private(set) var count = 0

    private var places = RowBinary.Writer()
    private var times = RowBinary.Writer()
    private var names = RowBinary.Writer()
    private var sessions = RowBinary.Writer()
    private var subjects = RowBinary.Writer()
    private var values = RowBinary.Writer()
    private var keys = RowBinary.Writer()
    private var texts = RowBinary.Writer()
    private var numbers = RowBinary.Writer()

    // Of the event that is being written: how many attributes it has comes before them.
    private var attributes = 0
    private var ownKeys = RowBinary.Writer()
    private var ownTexts = RowBinary.Writer()
    private var ownNumbers = RowBinary.Writer()

    /// Without events.
    package init() {}

    /// Bytes that the columns take in the row, at most.
    package var byteCount: Int {
        places.count + times.count + names.count + sessions.count + subjects.count + values.count
            + keys.count + texts.count + numbers.count + Self.columns.count * Self.longestLength
    }

    /// Of a length, in bytes.
    private static let longestLength = 9

    /// Begins again, and keeps the memory.
    package mutating func removeAll() {
        count = 0
        places.removeAll()
        times.removeAll()
        names.removeAll()
        sessions.removeAll()
        subjects.removeAll()
        values.removeAll()
        keys.removeAll()
        texts.removeAll()
        numbers.removeAll()
        forgetAttributes()
    }

    /// Adds an attribute of the event that comes next.
    /// - Parameters:
    ///   - text: as reports show it
    ///   - number: the nearest double of a number, else 0
    @inline(__always)
    package mutating func attribute(
        key: [UInt8], _ kind: Kind, text: Span<UInt8>, number: Double
    ) {
        attributes += 1
        ownKeys.string(key)
        ownTexts.length(text.count + 1)
        ownTexts.uint8(kind.rawValue)
        ownTexts.raw(text)
        ownNumbers.float64(number)
    }

    /// Adds an event, with the attributes that were added before it.
    /// - Parameters:
    ///   - place: its index as sent
    ///   - time: milliseconds since 1970
    ///   - session: `session.id`; empty without one
    ///   - subject: the attribute that an event of its name has to have, if that is a name of a counter, a
    ///     content or a video; else empty
    ///   - value: how far a counter went up; 0 for other events
    @inline(__always)
    package mutating func add(
        place: UInt16, time: Int64, name: Span<UInt8>, session: Span<UInt8>, subject: Span<UInt8>,
        value: Int64
    ) {
        places.uint16(place)
        times.int64(time)
        names.string(name)
        sessions.string(session)
        subjects.string(subject)
        values.int64(value)
        keys.array(of: attributes, ownKeys)
        texts.array(of: attributes, ownTexts)
        numbers.array(of: attributes, ownNumbers)
        if attributes > 0 { forgetAttributes() }
        count += 1
    }

    /// The same of copies of the texts.
    package mutating func add(
        place: UInt16, time: Int64, name: [UInt8], session: [UInt8] = [], subject: [UInt8] = [],
        value: Int64 = 0
    ) {
        add(
            place: place, time: time, name: name.span, session: session.span,
            subject: subject.span, value: value)
    }

    private mutating func forgetAttributes() {
        attributes = 0
        ownKeys.removeAll()
        ownTexts.removeAll()
        ownNumbers.removeAll()
    }

    func append(to row: inout RowBinary.Writer) {
        row.array(of: count, places)
        row.array(of: count, times)
        row.array(of: count, names)
        row.array(of: count, sessions)
        row.array(of: count, subjects)
        row.array(of: count, values)
        row.array(of: count, keys)
        row.array(of: count, texts)
        row.array(of: count, numbers)
    }
}
