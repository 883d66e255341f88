import Columns
import Database
import Dispatch
import Events

/// Reads the attributes of events of one name from their rows, batch after batch.
final class AttributeRowReader {
    /// Up to so many unwanted batches in a row are read and skipped rather than jumped over by a search.
    private static let gap: Int64 = 3
    /// How many batches are read between two pauses: a report that has to end does not read on for long, even
    /// where each has as many events as one may have.
    private static let stride = 64

    private let path: String
    private let batches: Statement
    private let events: Statement

    /// The current batch: its row, and when it came.
    private var batch: Int64 = 0
    private var arrival: Int64 = 0
    /// The indices of the keys in it; −1 where it has not the key.
    private var keyIndices: [Int] = []
    private var hasKeys = false
    /// An event of a later batch was read already.
    private var isAhead = false
    private var sessionText: [UInt8] = []
    private var sessionRanges: [Range<Int>] = []
    private var sessionHashes: [UInt64] = []

    /// - Parameter name: its row
    init(_ connection: Connection, name: Int64) throws(StorageError) {
        path = connection.path
        batches = try connection.prepare(
            """
            SELECT id, received_at, attribute_keys, sessions FROM batch
            WHERE id >= ?1 AND id <= ?2 ORDER BY id
            """)
        events = try connection.prepare(
            """
            SELECT id, late, session, attributes FROM event
            WHERE \(EventID.isSQL("id", ofBatch: "?1", to: "?2"))
                AND name = ?3 ORDER BY id
            """)
        try events.bind(3, name)
    }

    /// The error where segments and rows are not of the same events.
    var damage: StorageError {
        .damaged(path: path, found: "a segment of events is not what their rows say")
    }

    /// Hands the rows on to the segments. Throws what the database throws, and `damaged`.
    /// - Parameters:
    ///   - visits: in order of batches
    ///   - account: counts the memory that the segments' rows and texts take meanwhile
    ///   - pause: is called now and then
    func read(
        _ visits: inout [AttributeVisit], of keys: [AttributeKey],
        into targets: inout [AttributeTarget], _ account: (any MemoryAccount)?,
        _ pause: SegmentList.Pause
    ) throws(StorageError) {
        for index in targets.indices { targets[index].begin() }
        var held = targets.reduce(0) { $0 + $1.bytes }
        account?.add(held)
        defer {
            account?.add(-held)
            batches.reset()
            events.reset()
        }
        var index = 0
        var runEnd = 0
        var read = 0
        var begun = DispatchTime.now().uptimeNanoseconds
        while index < visits.count {
            read += 1
            if read % Self.stride == 0 {
                try pause(DispatchTime.now().uptimeNanoseconds &- begun)
                begun = DispatchTime.now().uptimeNanoseconds
            }
            if index >= runEnd {
                runEnd = index + 1
                while runEnd < visits.count,
                    visits[runEnd].batch - visits[runEnd - 1].batch <= Self.gap + 1
                {
                    runEnd += 1
                }
                try begin(visits[index].batch, visits[runEnd - 1].batch)
            }
            var end = index + 1
            while end < visits.count, visits[end].batch == visits[index].batch { end += 1 }
            try go(to: visits[index].batch, keys)
            let added = try readEvents(&visits, index..<end, keys, &targets)
            account?.add(added)
            held += added
            if account?.isOver == true { throw .interrupted(path: path) }
            index = end
        }
    }

    private func begin(_ first: Int64, _ last: Int64) throws(StorageError) {
        batches.reset()
        events.reset()
        isAhead = false
        try batches.bind(1, first)
        try batches.bind(2, last)
        try events.bind(1, first)
        try events.bind(2, last)
    }

    /// Advances to a batch of the current run.
    private func go(to batch: Int64, _ keys: [AttributeKey]) throws(StorageError) {
        repeat {
            guard try batches.step() else { throw damage }
        } while batches.int(0) < batch
        self.batch = batch
        arrival = batches.int(1)
        let codes = batches.withText(2) { CodeList.parse($0) }
        guard batches.int(0) == batch, let codes else { throw damage }
        keyIndices = keys.map { key in
            if case .row(let row) = key { return codes.firstIndex(of: row) ?? -1 }
            return -1
        }
        hasKeys = keyIndices.contains { $0 >= 0 }
        let text = batches.blob(3)
        sessionRanges = text.isEmpty ? [] : ArrayElements.ranges(in: text.span, .bracketed) ?? []
        sessionHashes = sessionRanges.map { ChecksumStream.hash(text.span.extracting($0)) }
        sessionText = text
    }

    /// Reads the batch's events, which some parts have.
    /// - Returns: bytes of texts that are new
    private func readEvents(
        _ visits: inout [AttributeVisit], _ range: Range<Int>, _ keys: [AttributeKey],
        _ targets: inout [AttributeTarget]
    ) throws(StorageError) -> Int {
        var bytes = 0
        while true {
            if !isAhead { isAhead = try events.step() }
            guard isAhead else { break }
            let row = EventID(rawValue: events.int(0)).batch
            if row > batch { break }
            isAhead = false
            if row < batch { continue }
            let time = arrival &- events.int(1)
            let day = Segment.day(of: time)
            guard let visit = range.first(where: { visits[$0].day == day }) else { continue }
            let (target, part) = (visits[visit].target, visits[visit].part)
            guard visits[visit].read < visits[visit].count else { throw damage }
            let session = events.optionalInt(2).flatMap { Int(exactly: $0) }
            if let session, !sessionHashes.indices.contains(session) { throw damage }
            let event = targets[target].add(
                visits[visit].read, ofPart: part, time: time,
                session: session.map { sessionHashes[$0] })
            visits[visit].read += 1
            let before = targets[target].textBytes
            try addValues(session: session, keys, to: &targets[target], event)
            bytes += targets[target].textBytes - before
        }
        for visit in range where visits[visit].read != visits[visit].count { throw damage }
        return bytes
    }

    /// The values of the current event for each key.
    private func addValues(
        session: Int?, _ keys: [AttributeKey], to target: inout AttributeTarget, _ event: Int
    ) throws(StorageError) {
        if let session {
            for key in keys.indices where keys[key] == .session {
                let text = sessionText.span.extracting(sessionRanges[session])
                target.set(text, key, ofEvent: event)
            }
        }
        guard hasKeys else { return }
        try events.withText(3) { (text) throws(StorageError) in
            var walk = ArrayElements.Walk(.bare)
            while true {
                let key = walk.next(in: text)
                if case .end = key { return }
                guard case .element(let key) = key, let index = text.integer(key),
                    case .element(let value) = walk.next(in: text)
                else { throw damage }
                for key in keyIndices.indices where Int64(keyIndices[key]) == index {
                    target.set(text.extracting(value), key, ofEvent: event)
                }
            }
        }
    }
}
