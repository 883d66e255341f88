import Columns
import Database
import Events
import Storage

/// Whether segments agree with the rows of events: of each day as many events, with the same batch,
/// device, resource, name, time, session and subject; and whether what they keep of sessions agrees with that.
struct SegmentCheck {
    /// Of the events of a day, whatever order they come in.
    private struct Sum: Equatable {
        var events = 0
        var hashes: UInt64 = 0
        /// Groups that tell otherwise of their session than their events do.
        var misjudged = 0
    }

    private let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    /// Of each app in one read transaction: batches go over into segments meanwhile.
    func run(_ findings: inout Findings) throws(StorageError) {
        for app in try connection.integers("SELECT id FROM app ORDER BY id") {
            try connection.snapshot { () throws(StorageError) in try check(app, &findings) }
        }
    }

    private func check(_ app: Int64, _ findings: inout Findings) throws(StorageError) {
        let stale = Set(try StaleDay.all(connection).filter { $0.app == app }.map(\.day))
        let inRows = try rows(of: app)
        let inSegments = try segments(of: app)
        for day in Set(inRows.keys).union(inSegments.keys).subtracting(stale).sorted()
        where inRows[day] != inSegments[day] {
            if let misjudged = inSegments[day]?.misjudged, misjudged > 0 {
                findings.add(
                    Finding(
                        "segments of app \(app), day \(day)",
                        "say otherwise when the app was in the foreground, in \(misjudged) sessions, than their "
                            + "events do"))
                continue
            }
            findings.add(
                Finding(
                    "segments of app \(app), day \(day)",
                    "say \(inSegments[day]?.events ?? 0) events otherwise than its "
                        + "\(inRows[day]?.events ?? 0) rows do"))
        }
    }

    private func rows(of app: Int64) throws(StorageError) -> [Int64: Sum] {
        var sums: [Int64: Sum] = [:]
        var rows = try SegmentRows(connection)
        var builder = SegmentBuilder()
        let last = try SegmentTable.lastBatch(of: app, connection)
        var batch: Int64 = 0
        var isDone = false
        while !isDone {
            isDone = try !rows.read(
                of: app, after: batch, upTo: last, maxCount: Segment.maxEvents, into: &builder)
            batch = builder.lastBatch ?? last
            for segment in builder.build() {
                var reader = SegmentReader(.all)
                reader.begin(segment)
                try add(&reader, &rows, to: &sums[segment.day, default: Sum()])
            }
            builder.removeAll()
        }
        return sums
    }

    private func segments(of app: Int64) throws(StorageError) -> [Int64: Sum] {
        var sums: [Int64: Sum] = [:]
        let rows = try connection.prepare(
            "SELECT day, parts, sessions, times, names, subjects FROM segment WHERE app = ?")
        try rows.bind(1, app)
        var names = try SegmentRows(connection)
        var reader = SegmentReader(.all)
        while try rows.step() {
            reader.begin(
                Segment(
                    day: rows.int(0), events: 0, parts: rows.blob(1), sessions: rows.blob(2),
                    times: rows.blob(3), names: rows.blob(4), subjects: rows.blob(5)))
            try add(&reader, &names, to: &sums[rows.int(0), default: Sum()])
        }
        return sums
    }

    private func add(
        _ reader: inout SegmentReader, _ names: inout SegmentRows, to sum: inout Sum
    ) throws(StorageError) {
        var kinds: [SessionEventKind] = []
        for row in reader.nameRows { kinds.append(try names.name(row).kind) }
        while reader.next() {
            reader.readTimes()
            reader.readNames()
            reader.readSubjects()
            if reader.isBroken { break }
            var head = ChecksumStream()
            head.add(
                UInt64(bitPattern: reader.batch), UInt64(bitPattern: reader.device),
                UInt64(bitPattern: reader.resource), UInt64(bitPattern: reader.arrival))
            var subject = 0
            for group in reader.groups {
                if group.session != nil, !reader.isFirstForm,
                    !group.agrees(with: reader.summary(of: group, kinds))
                {
                    sum.misjudged += 1
                }
                for index in group.range {
                    var event = head
                    let name = Int(reader.names[index])
                    event.add(
                        UInt64(bitPattern: reader.nameRows[name]),
                        UInt64(bitPattern: reader.times[index]), group.session ?? 0,
                        group.session == nil ? 0 : 1)
                    if reader.hasSubject(name) {
                        let text = reader.subject(Int(reader.subjectCodes[subject]))
                        event.add(
                            ChecksumStream.hash(text.span),
                            UInt64(bitPattern: reader.amounts[subject]), 0, 0)
                        subject += 1
                    }
                    sum.events += 1
                    sum.hashes &+= event.value
                }
            }
        }
        if reader.isBroken {
            throw .damaged(path: connection.path, found: "a segment is not what was written")
        }
    }
}
