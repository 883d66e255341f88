import Events
import Storage

/// All events of the days of a question that its filters let through, batch after batch, each once,
/// perhaps only those of some names:
///
///     var scan = try AttributeScan(question, named: .usageCounter, attributes: [key], reading)
///     while try scan.next() { … scan.device … try scan.withValue(0) { value in … } }
///
/// A row of `event` is read once; texts are copied nowhere. Reports in which other events decide too
/// ask for a stretch of time instead; `counts` then tells which events the question is about.
struct AttributeScan: ~Copyable {
    /// Row of the current event's device.
    private(set) var device: Int64 = 0
    /// Row of the resource of its batch.
    private(set) var resource: Int64 = 0
    /// Its time, milliseconds since 1970-01-01T00:00:00Z.
    private(set) var time: Int64 = 0
    /// Its local day (number), where it lies in the range of the question.
    private(set) var day = 0
    /// Row of its name.
    private(set) var name: Int64 = 0
    /// Whether it lies in the range of the question and passes its filters.
    private(set) var counts = true
    /// Rows of the names asked for; −1 where no event has had it yet.
    let names: [Int64]

    /// Every instant that an event can have.
    static let always: Range<Int64> = -(1 << 53)..<(1 << 53) + 1

    private let connection: Connection
    private let batches: Statement
    private let events: Statement
    private let resources: ResourceSet
    private var days: LocalDays
    private let range: ClosedRange<Int>
    /// The stretch of time asked for; nil: the range and the filters of the question.
    private let window: Range<Int64>?
    /// The filters let the batch through.
    private var isLetThrough = true
    /// The batch whose events come.
    private(set) var batch: Int64?
    /// When it came, milliseconds since 1970-01-01T00:00:00Z.
    private var arrival: Int64 = 0
    /// The day of all its events, where it is only one.
    private var batchDay: Int?
    private var attributes: EventAttributes
    private let hasAttributes: Bool
    /// Which of the attributes is `session.id`: it stands beside the others.
    private let sessionKey: Int?

    /// For the days and filters of a question.
    /// - Parameters:
    ///   - name: only events of this name; nil: of all names
    ///   - attributes: keys of attributes that `withValue` will be asked for, by their places here
    init(
        _ question: Question, named name: ByteText? = nil, attributes: [ByteText] = [],
        _ reading: Reading
    ) throws(StorageError) {
        try self.init(question, names: name.map { [$0] }, attributes: attributes, reading)
    }

    /// The same for several names, and perhaps for a stretch of time.
    /// - Parameters:
    ///   - names: only events of these names, each once; nil: of all names
    ///   - attributes: keys of attributes that `withValue` will be asked for, by their places here
    ///   - window: milliseconds since 1970-01-01T00:00:00Z; all events in it come, and `counts` tells
    ///     of each whether the question is about it; nil: only those come
    init(
        _ question: Question, names: [ByteText]?, attributes: [ByteText] = [],
        window: Range<Int64>? = nil, _ reading: Reading
    ) throws(StorageError) {
        let resources = try ResourceSet(question.filter, reading)
        let batches = try reading.prepare(
            BatchWindow.select(attributes.isEmpty ? [] : ["attribute_keys", "sessions"]))
        try batches.bind(
            app: question.app.id,
            window: window ?? question.zone.window(from: question.from, to: question.to))
        let further = attributes.isEmpty ? "" : ", attributes, session"
        // Comparisons one after the other: a list behind IN would be made anew for every batch.
        let terms = (names ?? []).indices.map { "name = ?\($0 + 2)" }.joined(separator: " OR ")
        let events = try reading.prepare(
            """
            SELECT late, name\(further) FROM event
            WHERE id >= ?1 << 13 AND id < (?1 + 1) << 13 \(names == nil ? "" : "AND (\(terms))")
            """)
        var rows: [Int64] = []
        for (place, name) in (names ?? []).enumerated() {
            // No row is −1: a name that no event has had yet.
            let row = try EventNames.row(of: name, reading) ?? -1
            try events.bind(Int32(place + 2), row)
            rows.append(row)
        }
        let keys = try EventAttributes(attributes, reading)
        // All or none: a value that cannot be copied is never half there.
        connection = reading.connection
        self.resources = resources
        self.batches = batches
        self.events = events
        days = LocalDays(question.zone, from: question.from, to: question.to)
        range = question.from.number...question.to.number
        self.window = window
        self.names = rows
        self.attributes = keys
        hasAttributes = !attributes.isEmpty
        sessionKey = attributes.firstIndex(of: ByteText(StandardAttribute.sessionID.key))
    }

    /// Goes to the next event. False behind the last one. Throws what the database throws.
    mutating func next() throws(StorageError) -> Bool {
        while true {
            if batch != nil {
                while try events.step() {
                    time = arrival &- events.int(0)
                    guard isWanted() else { continue }
                    name = events.int(1)
                    return true
                }
                events.reset()
                batch = nil
            }
            guard try batches.step() else { return false }
            try begin()
        }
    }

    /// Whether the event at `time` is one that was asked for, and whether it counts.
    private mutating func isWanted() -> Bool {
        var isInRange = true
        if let batchDay {
            day = batchDay
        } else if let day = days.day(at: time), range.contains(day) {
            self.day = day
        } else {
            isInRange = false
        }
        guard let window else { return isInRange }
        counts = isInRange && isLetThrough
        return window.contains(time)
    }

    /// Calls `body` with the value of an attribute of the current event, a JSON scalar as stored by
    /// us (`TextCodes.code(ofScalar:)`); nil where it has none. Throws `damaged` where the event's
    /// attributes cannot be read.
    func withValue<T>(
        _ key: Int, _ body: (borrowing Span<UInt8>?) -> T
    ) throws(StorageError) -> T {
        if key == sessionKey {
            guard let place = events.optionalInt(3) else { return body(nil) }
            return try batches.withText(8) { (text) throws(StorageError) in
                guard
                    case .element(let range) = ArrayElements.element(Int(clamping: place), in: text)
                else { throw damage("an event has a session that its batch has not") }
                return body(text.extracting(range))
            }
        }
        guard attributes.mayHave(key) else { return body(nil) }
        return try events.withText(2) { (text) throws(StorageError) in
            switch attributes.value(key, in: text) {
            case .element(let range): return body(text.extracting(range))
            case .end: return body(nil)
            case .broken: throw damage("an event has attributes that cannot be read")
            }
        }
    }

    /// The value of an attribute that is a whole number; nil where it has none, or another one.
    func integer(_ key: Int) throws(StorageError) -> Int64? {
        try withValue(key) { value in
            guard let value else { return nil }
            return value.integer(value.indices)
        }
    }

    /// What says that the database holds something that we never wrote.
    func damage(_ found: String) -> StorageError { .damaged(path: connection.path, found: found) }

    /// Goes on with the batch on which `batches` stands, unless none of its events can count.
    private mutating func begin() throws(StorageError) {
        resource = batches.int(2)
        isLetThrough = resources.contains(resource)
        guard isLetThrough || window != nil else { return }
        batchDay = nil
        if let span = days.days(from: batches.int(3), to: batches.int(4)) {
            guard span.overlaps(range) || window != nil else { return }
            if span.count == 1, range.contains(span.lowerBound) { batchDay = span.lowerBound }
        }
        device = batches.int(1)
        arrival = batches.int(6)
        let id = batches.int(0)
        if hasAttributes {
            let isRead = batches.withText(7) { attributes.begin($0) }
            guard isRead else { throw damage("a batch has keys that cannot be read") }
        }
        try events.bind(1, id)
        batch = id
    }
}
