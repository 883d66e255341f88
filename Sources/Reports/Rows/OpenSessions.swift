import Events
import Storage

/// The sessions of a question that are open when it is asked: few, so that finding them is no report.
enum OpenSessions {
    /// How many began in the question's range and are let through by its filters. Throws what the
    /// database throws.
    static func count(_ question: Question, _ reading: Reading) throws(StorageError) -> Int {
        let devices = try devices(question, reading)
        if devices.isEmpty { return 0 }
        let scan = try SessionScan(question, devices: devices, reading)
        var count = 0
        try scan.forEach(reading) { session in
            if session.fold.state(at: question.now) == .open { count += 1 }
        }
        return count
    }

    // The events that are young enough to keep a session open. ?5 to ?7 are app and window, ?8 to
    // ?10 the names that have a place of their own within a millisecond.
    private static let events = """
        SELECT b.device, b.sessions ->> e.session AS session,
            CASE e.name WHEN ?8 THEN 0 WHEN ?9 THEN 2 WHEN ?10 THEN 3 ELSE 1 END AS kind
        FROM (\(BatchWindow.select(["sessions"]))) AS b CROSS JOIN event AS e
        WHERE e.id >= b.id << 13 AND e.id < (b.id + 1) << 13 AND b.received_at - e.late >= ?6
          AND e.session IS NOT NULL
        ORDER BY b.device, session, b.received_at - e.late, kind, b.batch_id, e.id & 8191
        """

    /// Devices with a session whose last event is young enough and no end.
    private static func devices(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> [Int64] {
        let (last, overflow) = question.now.subtractingReportingOverflow(
            question.app.sessionTimeout)
        if overflow { return [] }
        let statement = try reading.prepare(events)
        // A device's clock may be ahead: there is no end.
        try statement.bind(app: question.app.id, window: last + 1..<Int64.max)
        let kinds: [(Int32, StandardEvent)] = [
            (8, .sessionStart), (9, .sessionEnd), (10, .sessionResume),
        ]
        for (parameter, name) in kinds {
            try statement.bind(parameter, try EventNames.row(of: name, reading))
        }
        var devices: [Int64] = []
        var device: Int64 = -1
        var session: [UInt8] = []
        var isOpen = false
        func close() {
            if isOpen, devices.last != device { devices.append(device) }
        }
        while try statement.step() {
            let isSame =
                statement.int(0) == device
                && statement.withText(1) {
                    $0.count == session.count && $0.isEqual(0..<session.count, session)
                }
            if !isSame {
                close()
                device = statement.int(0)
                session = statement.blob(1)
            }
            isOpen = statement.int(2) != SessionEventKind.end.rawValue
        }
        close()
        return devices
    }
}
