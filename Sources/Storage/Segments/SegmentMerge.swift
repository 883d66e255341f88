import Columns
import Database

/// Makes one segment of many small ones of a day: events that come from many days at once fill few of
/// each, and a report has something to do for each segment. One of full size at most.
struct SegmentMerge: ~Copyable {
    /// A segment with fewer events is small.
    static let small = Segment.maxEvents / 4
    /// A segment whose column of subjects has as many bytes is not small, however few events it has.
    private static let maxSubjectBytes = 1 << 19
    /// So many are merged at once.
    private static let maxCount = 64
    /// From so many small ones of a day on they are merged.
    static let many: Int64 = 8

    private let connection: Connection
    private let count: Statement
    private let select: Statement
    private let delete: Statement

    init(_ connection: Connection) throws(StorageError) {
        let ofDay =
            "WHERE app = ?1 AND day = ?2 AND events < \(Self.small) "
            + "AND length(subjects) < \(Self.maxSubjectBytes)"
        // More than are merged at once, and after these still many: all might be thousands.
        let count = try connection.prepare(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM segment INDEXED BY segment_by_day \(ofDay)
                LIMIT \(Self.maxCount + Int(Self.many)))
            """)
        let select = try connection.prepare(
            """
            SELECT parts, sessions, times, names, subjects, id
            FROM segment INDEXED BY segment_by_day \(ofDay) ORDER BY id
            """)
        let delete = try connection.prepare("DELETE FROM segment \(ofDay) AND id <= ?3")
        // All or none: a value that cannot be copied is never half there.
        self.connection = connection
        self.count = count
        self.select = select
        self.delete = delete
    }

    /// Merges those of a day where there are many. Within a transaction.
    /// - Parameter names: of the same transaction
    /// - Returns: whether there may still be many
    func run(
        of app: Int64, day: Int64, into table: SegmentTable, _ names: inout SegmentRows
    ) throws(StorageError) -> Bool {
        try count.bind(1, app)
        try count.bind(2, day)
        var left = try count.step() ? count.int(0) : 0
        count.reset()
        guard left >= Self.many else { return false }
        try select.bind(1, app)
        try select.bind(2, day)
        defer { select.reset() }
        var builder = SegmentBuilder()
        var reader = SegmentReader(.all)
        var last: Int64 = 0
        var merged = 0
        while merged < Self.maxCount, builder.count < Segment.maxEvents, !builder.isHeavy,
            try select.step()
        {
            reader.begin(
                Segment(
                    day: day, events: 0, parts: select.blob(0), sessions: select.blob(1),
                    times: select.blob(2), names: select.blob(3), subjects: select.blob(4)))
            try builder.add(&reader, &names)
            // One that is not what was written stays: `verify` reports it.
            if reader.isBroken { return false }
            last = select.int(5)
            left -= 1
            merged += 1
        }
        select.reset()
        try delete.bind(1, app)
        try delete.bind(2, day)
        try delete.bind(3, last)
        try delete.run()
        try table.insert(builder.build(), of: app)
        return left >= Self.many
    }
}

extension SegmentBuilder {
    /// All parts that a reader has left.
    fileprivate mutating func add(
        _ reader: inout SegmentReader, _ rows: inout SegmentRows
    ) throws(StorageError) {
        while reader.next() {
            reader.readTimes()
            reader.readNames()
            reader.readSubjects()
            if reader.isBroken { return }
            begin(
                batch: reader.batch, device: reader.device, resource: reader.resource,
                arrival: reader.arrival)
            var subject = 0
            for group in reader.groups {
                let session = group.session.map { SessionKey.mixed($0, with: reader.device) }
                for at in group.range {
                    let name = Int(reader.names[at])
                    let code = index(of: try rows.name(reader.nameRows[name]))
                    var text: [UInt8] = []
                    var amount: Int64 = 1
                    if reader.hasSubject(name) {
                        text = Array(reader.subject(Int(reader.subjectCodes[subject])))
                        amount = reader.amounts[subject]
                        subject += 1
                    }
                    if text.isEmpty {
                        add(
                            code, time: reader.times[at], session: session, subject: nil,
                            amount: amount)
                    } else {
                        add(
                            code, time: reader.times[at], session: session, subject: text.span,
                            amount: amount)
                    }
                }
            }
        }
    }
}
