import Events
import Storage

/// All events of some names in the days of a question that its filters let through, with their
/// attributes, each once:
///
///     var scan = try AttributeScan(question, names: [purchase], attributes: [key], reading)
///     while try scan.next() { … scan.device … try scan.withValue(0) { value in … } }
///
/// Segments tell which batches have such events (docs/design.md, Segments); of neighbouring ones
/// the rows are read one after the other, each once, and texts are copied nowhere.
struct AttributeScan: ~Copyable {
    /// Row of the current event's device.
    private(set) var device: Int64 = 0
    /// Its time, milliseconds since 1970-01-01T00:00:00Z.
    private(set) var time: Int64 = 0
    /// Its local day (number).
    private(set) var day = 0
    /// Row of its name.
    private(set) var name: Int64 = 0
    /// Rows of the names asked for; −1 where no event has had it yet.
    let names: [Int64]

    /// As many batches that have no such event are read over rather than searched behind.
    private static let gap: Int64 = 3

    private let app: Int64
    private let connection: Connection
    private let batches: Statement
    private let events: Statement
    private let resources: ResourceSet
    private var days: LocalDays
    private let range: ClosedRange<Int>
    /// Rows of batches, neighbours together; the next ones last.
    private var runs: [ClosedRange<Int64>]
    /// The statements stand in a run.
    private var isInRun = false
    /// The batch whose events come.
    private var batch: Int64 = 0
    /// Its events are asked for.
    private var isBatchWanted = false
    /// When it came, milliseconds since 1970-01-01T00:00:00Z.
    private var arrival: Int64 = 0
    /// The day of all its events, where it is only one.
    private var batchDay: Int?
    private var attributes: EventAttributes
    /// Which of the attributes is `session.id`: it stands beside the others.
    private let sessionKey: Int?

    /// - Parameters:
    ///   - names: each once
    ///   - attributes: keys of attributes that `withValue` will be asked for, by their places here
    init(
        _ question: Question, names: [ByteText], attributes: [ByteText], _ reading: Reading
    ) throws(StorageError) {
        let resources = try ResourceSet(question.filter, reading)
        let batches = try reading.prepare(
            """
            SELECT id, app, device, resource, received_at, first_time, last_time, attribute_keys,
                sessions
            FROM batch WHERE id >= ?1 AND id <= ?2 ORDER BY id
            """)
        // Comparisons one after the other: a list behind IN would be made anew for every run.
        let terms = names.indices.map { "name = ?\($0 + 3)" }.joined(separator: " OR ")
        let events = try reading.prepare(
            """
            SELECT id, late, name, attributes, session FROM event
            WHERE id >= ?1 << 13 AND id < (?2 + 1) << 13 AND (\(terms)) ORDER BY id
            """)
        var rows: [Int64] = []
        for (place, name) in names.enumerated() {
            // No row is −1: a name that no event has had yet.
            let row = try EventNames.row(of: name, reading) ?? -1
            try events.bind(Int32(place + 3), row)
            rows.append(row)
        }
        let keys = try EventAttributes(attributes, reading)
        let runs = try Self.runs(of: rows, question, resources, reading)
        // All or none: a value that cannot be copied is never half there.
        app = question.app.id
        connection = reading.connection
        self.resources = resources
        self.batches = batches
        self.events = events
        days = LocalDays(question.zone, from: question.from, to: question.to)
        range = question.from.number...question.to.number
        self.names = rows
        self.runs = runs.reversed()
        self.attributes = keys
        sessionKey = attributes.firstIndex(of: ByteText(StandardAttribute.sessionID.key))
    }

    /// The batches with events of these names.
    private static func runs(
        of names: [Int64], _ question: Question, _ resources: ResourceSet, _ reading: Reading
    ) throws(StorageError) -> [ClosedRange<Int64>] {
        var found: [ClosedRange<Int64>] = []
        var scan = try reading.segments(
            of: question.app.id, question.zone.window(from: question.from, to: question.to),
            .names)
        var segment = 0
        var isWanted: [Bool] = []
        while try scan.next() {
            if segment != scan.segment {
                segment = scan.segment
                isWanted = scan.part.nameRows.map { names.contains($0) }
            }
            guard resources.contains(scan.part.resource), isWanted.contains(true) else { continue }
            scan.part.readNames()
            guard scan.part.names.contains(where: { isWanted[Int($0)] }) else { continue }
            add(scan.part.batch...scan.part.batch, to: &found)
        }
        // A batch of several days is found on each of them.
        found.sort { $0.lowerBound < $1.lowerBound }
        var runs: [ClosedRange<Int64>] = []
        for run in found { add(run, to: &runs) }
        return runs
    }

    private static func add(_ run: ClosedRange<Int64>, to runs: inout [ClosedRange<Int64>]) {
        if let last = runs.last, last.lowerBound <= run.lowerBound,
            run.lowerBound - last.upperBound <= gap + 1
        {
            runs[runs.count - 1] = last.lowerBound...max(last.upperBound, run.upperBound)
        } else {
            runs.append(run)
        }
    }

    /// Goes to the next event. False behind the last one. Throws what the database throws.
    mutating func next() throws(StorageError) -> Bool {
        while true {
            if isInRun {
                while try events.step() {
                    let id = events.int(0) >> 13
                    if id != batch { try begin(id) }
                    guard isBatchWanted else { continue }
                    time = arrival &- events.int(1)
                    guard isInRange() else { continue }
                    name = events.int(2)
                    return true
                }
                events.reset()
                batches.reset()
                isInRun = false
            }
            guard let run = runs.popLast() else { return false }
            for bound in [(Int32(1), run.lowerBound), (2, run.upperBound)] {
                try events.bind(bound.0, bound.1)
                try batches.bind(bound.0, bound.1)
            }
            (isInRun, batch) = (true, 0)
        }
    }

    private mutating func isInRange() -> Bool {
        if let batchDay {
            day = batchDay
            return true
        }
        guard let day = days.day(at: time), range.contains(day) else { return false }
        self.day = day
        return true
    }

    /// Goes on with a batch, unless none of its events can count.
    private mutating func begin(_ id: Int64) throws(StorageError) {
        repeat {
            guard try batches.step(), batches.int(0) <= id else {
                throw damage("an event has no batch")
            }
        } while batches.int(0) < id
        batch = id
        isBatchWanted = batches.int(1) == app && resources.contains(batches.int(3))
        guard isBatchWanted else { return }
        batchDay = nil
        if let span = days.days(from: batches.int(5), to: batches.int(6)) {
            isBatchWanted = span.overlaps(range)
            if span.count == 1, range.contains(span.lowerBound) { batchDay = span.lowerBound }
        }
        device = batches.int(2)
        arrival = batches.int(4)
        let isRead = batches.withText(7) { attributes.begin($0) }
        guard isRead else { throw damage("a batch has keys that cannot be read") }
    }

    /// Calls `body` with the value of an attribute of the current event, a JSON scalar as stored by
    /// us (`TextCodes.code(ofScalar:)`); nil where it has none. Throws `damaged` where the event's
    /// attributes cannot be read.
    func withValue<T>(
        _ key: Int, _ body: (borrowing Span<UInt8>?) -> T
    ) throws(StorageError) -> T {
        if key == sessionKey {
            guard let place = events.optionalInt(4) else { return body(nil) }
            return try batches.withText(8) { (text) throws(StorageError) in
                guard
                    case .element(let range) = ArrayElements.element(Int(clamping: place), in: text)
                else { throw damage("an event has a session that its batch has not") }
                return body(text.extracting(range))
            }
        }
        guard attributes.mayHave(key) else { return body(nil) }
        return try events.withText(3) { (text) throws(StorageError) in
            switch attributes.value(key, in: text) {
            case .element(let range): return body(text.extracting(range))
            case .end: return body(nil)
            case .broken: throw damage("an event has attributes that cannot be read")
            }
        }
    }

    /// What says that the database holds something that we never wrote.
    private func damage(_ found: String) -> StorageError {
        .damaged(path: connection.path, found: found)
    }
}
