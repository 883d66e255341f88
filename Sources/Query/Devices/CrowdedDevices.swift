import Database
import Events
import JSON
import Storage

/// A device that begins sessions as no single one does: most often many devices send its id.
package struct CrowdedDevice: Equatable, Sendable {
    package let device: DeviceHash
    /// Sessions that began while another one of it went on, for more than a minute.
    package let overlapping: Int
    /// The most sessions that began on one day (UTC).
    package let mostADay: Int

    package init(device: DeviceHash, overlapping: Int, mostADay: Int) {
        (self.device, self.overlapping, self.mostADay) = (device, overlapping, mostADay)
    }
}

/// Looks for such devices among the newest batches, so that its work does not grow with the database.
package struct CrowdedDevices {
    /// How many of the newest batches are read, and how many of their events, of all apps together.
    package static let batches = 50_000
    package static let events = 500_000
    /// More sessions on one day are not a person's.
    package static let sessionsADay = 50
    /// As far as clocks that are put right, and threads that are late, bring events out of order: milliseconds.
    static let tolerance: Int64 = 60_000

    private struct Event {
        let device: Int64
        let time: Int64
        /// A hash of the session's id.
        let session: UInt64
        let kind: SessionEventKind
    }

    private let connection: Connection

    package init(_ connection: Connection) { self.connection = connection }

    /// The crowded devices of an app that are not known to be shared, the most crowded first.
    /// - Parameter apps: that share what is read
    package func find(app: Int64, of apps: Int) throws(StorageError) -> [CrowdedDevice] {
        let events = try read(app, share: max(1, apps)).sorted {
            ($0.device, $0.time, $0.kind) < ($1.device, $1.time, $1.kind)
        }
        let row = try connection.prepare(
            """
            SELECT hash FROM device
            WHERE id = ?1 AND shared = 0 AND id NOT IN (SELECT device FROM erasing)
            """)
        var found: [CrowdedDevice] = []
        var rest = events[...]
        while let device = rest.first?.device {
            let own = rest.prefix { $0.device == device }
            rest = rest[own.endIndex...]
            guard let crowd = Self.crowd(of: own) else { continue }
            try row.bind(1, device)
            if try row.step(), let hash = DeviceHash(row.blob(0)) {
                found.append(
                    CrowdedDevice(
                        device: hash, overlapping: crowd.overlapping, mostADay: crowd.mostADay))
            }
            row.reset()
        }
        return found.sorted {
            ($0.overlapping + $0.mostADay, $0.device) > ($1.overlapping + $1.mostADay, $1.device)
        }
    }

    /// The events of sessions in an app's newest batches, the newest batch first.
    private func read(_ app: Int64, share: Int) throws(StorageError) -> [Event] {
        let kinds = try kinds()
        let rows = try connection.prepare(
            """
            SELECT b.id, b.device, b.received_at - e.late, b.sessions, e.name, e.session
            FROM (
                SELECT id, device, received_at, sessions FROM batch INDEXED BY batch_by_app
                WHERE app = ?1 ORDER BY id DESC LIMIT ?2) AS b
            CROSS JOIN event AS e ON e.id BETWEEN b.id << 13 AND b.id << 13 | 8191
            WHERE e.session IS NOT NULL
            """)
        try rows.bind(1, app)
        try rows.bind(2, Int64(Self.batches / share))
        var events: [Event] = []
        var batch: Int64 = -1
        var sessions: [UInt64] = []
        while try rows.step(), events.count < Self.events / share {
            if rows.int(0) != batch {
                batch = rows.int(0)
                sessions = rows.withText(3) { Self.hashes($0) }
            }
            let index = Int(rows.int(5))
            guard sessions.indices.contains(index) else { continue }
            events.append(
                Event(
                    device: rows.int(1), time: rows.int(2), session: sessions[index],
                    kind: kinds[rows.int(4)] ?? .other))
        }
        return events
    }

    /// By the code of the event's name.
    private func kinds() throws(StorageError) -> [Int64: SessionEventKind] {
        let rows = try connection.prepare(
            "SELECT id, text FROM name WHERE text IN ('session.start','session.resume','session.end')"
        )
        var kinds: [Int64: SessionEventKind] = [:]
        while try rows.step() { kinds[rows.int(0)] = SessionEventKind(name: rows.text(1)) }
        return kinds
    }

    /// Of each text of a batch's `sessions`.
    private static func hashes(_ json: Span<UInt8>) -> [UInt64] {
        var scanner = Scanner()
        var hashes: [UInt64] = []
        do throws(Malformed) {
            try scanner.reset(json)
            guard try scanner.value(json).kind == .array else { return [] }
            while try scanner.element(json) {
                let token = try scanner.value(json)
                // As they are stored equal texts have equal bytes.
                hashes.append(scanner.hash.hash(json, token.start, token.end))
                try scanner.skipRest(of: token, json)
            }
        } catch {
            // Whether a batch can be read is for `verify` to say.
        }
        return hashes
    }
}

/// One device.
extension CrowdedDevices {
    /// A stretch of a session in the foreground.
    private struct Stretch {
        let session: UInt64
        let isStart: Bool
        let from: Int64
        var to: Int64
    }

    /// Nil for a device that is not crowded.
    /// - Parameter events: of one device, in order of time
    private static func crowd(
        of events: ArraySlice<Event>
    ) -> (overlapping: Int, mostADay: Int)? {
        guard events.lazy.filter({ $0.kind == .start }).prefix(2).count == 2 else { return nil }
        var days: [Int64: Set<UInt64>] = [:]
        for event in events where event.kind == .start {
            let day = event.time.quotientAndRemainder(dividingBy: 86_400_000).quotient
            days[day, default: []].insert(event.session)
        }
        let mostADay = days.values.map(\.count).max() ?? 0
        let overlapping = overlaps(of: stretches(of: events))
        return overlapping > 0 || mostADay > sessionsADay ? (overlapping, mostADay) : nil
    }

    /// In the order in which they begin.
    private static func stretches(of events: ArraySlice<Event>) -> [Stretch] {
        var stretches: [Stretch] = []
        /// The stretch that a session is in, by its index.
        var open: [UInt64: Int] = [:]
        for event in events {
            switch event.kind {
            case .start, .resume:
                open[event.session] = stretches.count
                stretches.append(
                    Stretch(
                        session: event.session, isStart: event.kind == .start, from: event.time,
                        to: event.time))
            case .other:
                if let index = open[event.session] { stretches[index].to = event.time }
            case .end:
                if let index = open.removeValue(forKey: event.session) {
                    stretches[index].to = event.time
                }
            }
        }
        return stretches
    }

    /// How many begin with a start while one of another session goes on.
    private static func overlaps(of stretches: [Stretch]) -> Int {
        // The one that ends last, and the last one of another session.
        var last: Stretch?
        var other: Stretch?
        var count = 0
        for stretch in stretches {
            let rival = last?.session == stretch.session ? other : last
            if stretch.isStart, let rival, rival.to &- stretch.from > tolerance { count += 1 }
            if let known = last, known.session != stretch.session {
                if stretch.to > known.to {
                    (last, other) = (stretch, known)
                } else if stretch.to > other?.to ?? .min {
                    other = stretch
                }
            } else if stretch.to > last?.to ?? .min {
                last = stretch
            }
        }
        return count
    }
}
