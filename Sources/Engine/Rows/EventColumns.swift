/// The events of one batch as the columns `event.…` of its row: an array a column, each already as the
/// row has it, but for its length. Filled event by event, of each its attributes first:
///
///     events.attribute(key: …, .number, text: …, number: 1.5)
///     events.add(place: 0, time: …, name: …, session: …, subject: …, value: …)
package struct EventColumns: ~Copyable {
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

    private var places = ByteColumn()
    private var times = ByteColumn()
    private var names = ByteColumn()
    private var sessions = ByteColumn()
    private var subjects = ByteColumn()
    private var values = ByteColumn()
    private var keys = ByteColumn()
    private var texts = ByteColumn()
    private var numbers = ByteColumn()

    // Of the event that is being written: how many attributes it has comes before them, in a byte that is left
    // for it.
    private var attributes = 0
    private var starts = (keys: 0, texts: 0, numbers: 0)
    private var isOpen = false

    /// Without events.
    package init() {}

    /// Bytes that the columns take in the row, at most.
    package var byteCount: Int {
        places.count + times.count + names.count + sessions.count + subjects.count + values.count
            + keys.count + texts.count + numbers.count + Self.columns.count * Self.longestLength
    }

    /// Of a length, in bytes.
    private static let longestLength = ByteColumn.longestLength

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
        isOpen = false
    }

    /// Adds an attribute of the event that comes next.
    /// - Parameters:
    ///   - text: as reports show it
    ///   - number: the nearest double of a number, else 0
    package mutating func attribute(
        key: Span<UInt8>, _ kind: Kind, text: Span<UInt8>, number: Double
    ) {
        if !isOpen { open() }
        attributes &+= 1
        keys.string(key)
        texts.string(kind.rawValue, text)
        numbers.integer(number.bitPattern)
    }

    @inline(__always)
    private mutating func open() {
        starts = (keys.count, texts.count, numbers.count)
        keys.integer(UInt8(0))
        texts.integer(UInt8(0))
        numbers.integer(UInt8(0))
        attributes = 0
        isOpen = true
    }

    /// Adds an event, with the attributes that were added before it.
    /// - Parameters:
    ///   - place: its index as sent
    ///   - time: milliseconds since 1970
    ///   - session: `session.id`; empty without one
    ///   - subject: the attribute that an event of its name has to have, if that is a name of a counter, a
    ///     content or a video; else empty
    ///   - value: how far a counter went up; 0 for other events
    package mutating func add(
        place: UInt16, time: Int64, name: Span<UInt8>, session: Span<UInt8>, subject: Span<UInt8>,
        value: Int64
    ) {
        if !isOpen { open() }
        places.integer(place)
        times.integer(time)
        names.string(name)
        sessions.string(session)
        subjects.string(subject)
        values.integer(value)
        if attributes > 0 {
            keys.setLength(attributes, at: starts.keys)
            texts.setLength(attributes, at: starts.texts)
            numbers.setLength(attributes, at: starts.numbers)
        }
        isOpen = false
        count &+= 1
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
