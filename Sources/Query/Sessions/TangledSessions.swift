import Database
import Events
import Storage

/// The few sessions whose pieces overlap, so that their events have to be sorted first.
struct TangledSessions {
    /// A session.
    struct Key: Hashable {
        let session: UInt64
        let device: Int64
    }

    private struct Event {
        let time: Int64
        let kind: SessionEventKind
        let batch: Int64
        let resource: Int64
    }

    private let timeout: Int64
    private var events: [Key: [Event]] = [:]
    private var keys = SessionSet()
    private var held: HeldBytes

    /// Bytes that a session takes besides its events, about.
    private static let sessionBytes = 160

    /// Without sessions.
    /// - Parameters:
    ///   - timeout: as in `SessionFold`
    ///   - account: of the report
    init(timeout: Int64, _ account: ReportAccount) {
        self.timeout = timeout
        held = HeldBytes(account)
    }

    /// Adds a session.
    mutating func insert(_ session: Key) {
        events[session] = []
        held.add(Self.sessionBytes)
        keys.insert(session.session)
    }

    /// Calls `body` with the device of each session, the resource of its first event, and its fold.
    /// Throws what the database throws.
    mutating func forEach(
        of app: Int64, _ kinds: SessionKinds, _ reading: Reading,
        _ body:
            (_ device: Int64, _ resource: Int64, _ fold: SessionFold) throws(StorageError) -> Void
    ) throws(StorageError) {
        if events.isEmpty { return }
        try read(of: app, kinds, reading)
        let ids = try BatchIDs(reading)
        for (key, unsorted) in events {
            let room = HeldBytes(held.account, unsorted.allocatedBytes * 2)
            defer { withExtendedLifetime(room) {} }
            var sorted = unsorted
            try RowOrder.sort(
                &sorted, by: { $0.time != $1.time ? $0.time < $1.time : $0.kind < $1.kind }
            ) { () throws(StorageError) in try reading.check() }
            var fold = SessionFold(timeout: timeout)
            for event in sorted { fold.add(time: event.time, kind: event.kind) }
            guard let first = try Self.first(of: sorted, ids) else { continue }
            try body(key.device, first.resource, fold)
        }
    }

    private mutating func read(
        of app: Int64, _ kinds: SessionKinds, _ reading: Reading
    ) throws(StorageError) {
        var names = SegmentKinds(kinds)
        var scan = try reading.segments(of: app, EventList.always, .sessions)
        while try scan.nextSegment() {
            guard keys.containsAny(of: scan.part.sessions) else { continue }
            try scan.load([.times, .names])
            while try scan.nextPart() {
                try read(&scan, &names)
            }
        }
    }

    private mutating func read(
        _ scan: inout SegmentScan, _ names: inout SegmentKinds
    ) throws(StorageError) {
        let wanted = scan.part.groups.filter { $0.session.map(keys.contains) ?? false }
        if wanted.isEmpty { return }
        names.follow(scan.segment, scan.part.nameRows)
        scan.part.readTimes()
        scan.part.readNames()
        try scan.check()
        for group in wanted {
            guard let session = group.session else { continue }
            let key = Key(session: session, device: scan.part.device)
            guard events[key] != nil else { continue }
            for index in group.range {
                events[key]?.append(
                    Event(
                        time: scan.part.times[index], kind: names.kind(at: scan.part.names[index]),
                        batch: scan.part.batch, resource: scan.part.resource))
            }
            // An array may have grown to twice its count.
            held.add(group.range.count * MemoryLayout<Event>.stride * 2)
        }
    }

    /// The first event; among ties that of the batch whose id comes first by bytes.
    private static func first(
        of sorted: [Event], _ ids: borrowing BatchIDs
    ) throws(StorageError) -> Event? {
        guard let first = sorted.first else { return nil }
        let ties = sorted.prefix { $0.time == first.time && $0.kind == first.kind }
        guard ties.contains(where: { $0.resource != first.resource }) else { return first }
        return try ids.first(of: ties, batch: \.batch)
    }
}
