import Events
import Storage

/// All sessions that began in a range of local days and that a question's filters let through
/// (docs/reports.md, Sessions). The database sorts the events, so that memory does not grow with
/// them; each session is folded as it comes by.
struct SessionScan {
    /// A session, and whose it is.
    struct Found {
        /// Row of its device.
        let device: Int64
        /// Its device is many.
        let isShared: Bool
        /// Row of the resource of its first event's batch.
        let resource: Int64
        /// The local day of its start.
        let day: Int
        /// Its figures.
        let fold: SessionFold
    }

    private let question: Question
    private let resources: ResourceSet

    private let devices: [Int64]?

    /// For the range and the filters of a question.
    /// - Parameter devices: only sessions of these, by their rows; nil: of all
    init(
        _ question: Question, devices: [Int64]? = nil, _ reading: Reading
    ) throws(StorageError) {
        self.question = question
        self.devices = devices
        resources = try ResourceSet(question.filter, reading)
    }

    // A session that began in the range has an event in it, and so has its device; but its other
    // events may lie anywhere behind, and an earlier one would take it out of the range. So all
    // events of the devices that are seen in the range are looked at. `+` keeps the device's index
    // on (app, hash) in use: its order is the first term of the sort.
    private static func events(of devices: String) -> String {
        """
        SELECT d.id, d.shared, b.sessions ->> e.session AS session, b.received_at - e.late AS time,
            CASE e.name WHEN ?8 THEN 0 WHEN ?9 THEN 2 WHEN ?10 THEN 3 ELSE 1 END AS kind,
            b.resource
        FROM device AS d CROSS JOIN batch AS b CROSS JOIN event AS e
        WHERE d.app = ?5 AND +d.id IN (\(devices))
          AND b.device = d.id AND b.sessions IS NOT NULL
          AND e.id >= b.id << 13 AND e.id < (b.id + 1) << 13 AND e.session IS NOT NULL
        ORDER BY d.hash, session, time, kind, b.batch_id, e.id & 8191
        """
    }

    /// Calls `body` with each session, those of one device one after the other. Throws what the
    /// database throws.
    func forEach(_ reading: Reading, _ body: (Found) -> Void) throws(StorageError) {
        var days = LocalDays(question.zone, from: question.from, to: question.to)
        let range = question.from.number...question.to.number
        let among =
            devices == nil
            ? "SELECT device FROM (\(BatchWindow.select))"
            : "SELECT value FROM json_each(?11)"
        let statement = try reading.prepare(Self.events(of: among))
        try statement.bind(
            app: question.app.id, window: question.zone.window(from: question.from, to: question.to)
        )
        if let devices {
            try statement.bind(11, "[\(devices.map(String.init).joined(separator: ","))]")
        }
        try Self.bindKinds(statement, reading)

        let empty = SessionFold(timeout: question.app.sessionTimeout)
        var fold = empty
        var device: Int64 = 0
        var isShared = false
        var resource: Int64 = 0
        var session: [UInt8] = []
        func close() {
            guard fold.count > 0, resources.contains(resource),
                let day = days.day(at: fold.start), range.contains(day)
            else { return }
            body(
                Found(
                    device: device, isShared: isShared, resource: resource, day: day, fold: fold))
        }
        while try statement.step() {
            let row = statement.int(0)
            let isSame = row == device && statement.withText(2) { Self.isEqual($0, session) }
            if fold.count == 0 || !isSame {
                close()
                fold = empty
                device = row
                isShared = statement.int(1) != 0
                resource = statement.int(5)
                statement.withText(2) { text in
                    session.removeAll(keepingCapacity: true)
                    text.withUnsafeBufferPointer { session += $0 }
                }
            }
            let kind = SessionEventKind(rawValue: UInt8(clamping: statement.int(4))) ?? .other
            fold.add(time: statement.int(3), kind: kind)
        }
        close()
    }

    /// Binds ?8 to ?10 to the names that have a place of their own within a millisecond.
    static func bindKinds(
        _ statement: borrowing Statement, _ reading: Reading
    ) throws(StorageError) {
        for (parameter, name) in [
            (8, StandardEvent.sessionStart), (9, .sessionEnd), (10, .sessionResume),
        ] {
            try statement.bind(Int32(parameter), try EventNames.row(of: name, reading))
        }
    }

    private static func isEqual(_ a: Span<UInt8>, _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        for place in a.indices where a[place] != b[place] { return false }
        return true
    }
}
