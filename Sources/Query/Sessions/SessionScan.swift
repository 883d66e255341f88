import Columns
import Database
import Events
import Storage
import Synchronization
import TimeZones

/// Scans all sessions that began in a range of local days and match a question's filters
/// (docs/reports.md, Sessions), from segments.
///
/// A piece is the part of a session that one batch has on one day. Most sessions are one piece,
/// which the scan reports as it reads it. It joins the pieces of the others: where each ends before
/// the next begins, it adds their folds; the few whose pieces overlap it folds event by event.
struct SessionScan: Sendable {
    /// A session and its device.
    struct Found {
        /// Row of its device.
        let device: Int64
        /// Whether its device is shared.
        let isShared: Bool
        /// Row of the resource of its first event's batch.
        let resource: Int64
        /// The local day of its start.
        let day: Int
        /// Its figures.
        let fold: SessionFold
    }

    private let scope: QueryScope
    private let resources: ResourceSet
    private let shared: SharedDevices
    private let kinds: SessionKinds
    private let wanted: SessionSet?

    /// The most pieces held at once, 40 bytes each: with more, the scan splits the devices into
    /// several rounds.
    static let maxPieces = 2_500_000
    /// The most rounds; each reads all segments. A round may hold more than `maxPieces` where
    /// rounds do not help: the pieces of one device stay together.
    private static let maxRounds: Int64 = 64

    /// A scan for the range and the filters of a question.
    /// - Parameter sessions: only these; nil: all
    init(
        _ scope: QueryScope, among sessions: SessionSet? = nil, _ reading: Reading
    ) throws(StorageError) {
        self.scope = scope
        wanted = sessions
        resources = try ResourceSet(scope.filter, reading)
        shared = try SharedDevices(of: scope.app.id, reading)
        kinds = try SessionKinds(reading)
    }

    /// Collects all sessions, in no order. Throws what the database throws.
    /// - Parameters:
    ///   - empty: the share each thread begins with
    ///   - maxPieces: the most pieces held at once
    ///   - add: adds a session to a share
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading, maxPieces: Int = SessionScan.maxPieces,
        _ add:
            @escaping @Sendable (_ share: inout Share, _ session: Found) throws(StorageError) ->
            Void
    ) throws(StorageError) -> Share {
        let recurring = wanted == nil ? try RecurringSessions(of: scope.app.id, reading) : nil
        var all = empty
        var rounds: Int64 = 1
        var round: Int64 = 0
        var isFirst = true
        while round < rounds {
            let among = Among(
                wanted: wanted, recurring: recurring, round: round, rounds: rounds,
                hasSingles: isFirst)
            let mayRestart = round == 0 && rounds < Self.maxRounds
            var made = try collect(
                empty, among, limit: mayRestart ? maxPieces : .max, reading, add)
            try all.merge(made.found)
            isFirst = false
            if !made.isWhole {
                rounds *= 2
                continue
            }
            try collectOthers(&made.pieces, reading)
            try all.merge(try join(made.pieces, empty, reading, add))
            round += 1
        }
        return all
    }

    /// The pieces that a round collects.
    private struct Among: Sendable {
        let wanted: SessionSet?
        let recurring: RecurringSessions?
        let round: Int64
        let rounds: Int64
        /// Whether it reports sessions of one piece too.
        let hasSingles: Bool

        /// Says of each session of the scan's segment whether it may have other pieces.
        func mark(_ scan: borrowing SegmentScan, _ mayRecur: inout [Bool]) {
            if let recurring { return recurring.mark(scan, &mayRecur) }
            mayRecur.removeAll(keepingCapacity: true)
            for session in scan.part.sessions { mayRecur.append(wanted?.contains(session) ?? true) }
        }

        @inline(__always)
        func contains(_ device: Int64) -> Bool { rounds == 1 || device % rounds == round }
    }

    /// What a thread has made of sessions that are one piece, and pieces of the others.
    private struct Part<Share: ReportShare>: ReportShare {
        var found: Share
        var pieces: SessionPieces
        /// Whether it has all pieces; false once there were too many, and were dropped.
        var isWhole = true
        private let account: ReportAccount

        init(found: Share, _ account: ReportAccount) {
            self.found = found
            self.account = account
            pieces = SessionPieces(account)
        }

        /// Drops the pieces, since there are too many.
        mutating func dropPieces() {
            isWhole = false
            pieces = SessionPieces(account)
        }

        mutating func merge(_ other: Part) throws(StorageError) {
            try found.merge(other.found)
            if isWhole, other.isWhole { pieces.merge(other.pieces) } else { dropPieces() }
        }
    }

    /// Collects all pieces of those sessions that have one in the range and may have more than one,
    /// at most `limit`, and adds the other sessions.
    private func collect<Share: ReportShare>(
        _ empty: Share, _ among: Among, limit: Int, _ reading: Reading,
        _ add: @escaping @Sendable (inout Share, Found) throws(StorageError) -> Void
    ) throws(StorageError) -> Part<Share> {
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let list = try reading.segmentList(of: scope.app.id, window)
        let held = PieceCount(limit: limit)
        return try reading.inParallel { () throws(StorageError) in
            var part = Part(found: empty, reading.account)
            var resources = resources
            var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
            var names = SegmentKinds(kinds)
            var mayRecur: [Bool] = []
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                if let wanted, !wanted.containsAny(of: scan.part.sessions) { continue }
                among.mark(scan, &mayRecur)
                let before = part.pieces.count
                while try scan.nextPart() {
                    var next = scan.part.firstSession
                    for number in scan.part.groups.indices {
                        let group = scan.part.groups[number]
                        guard let session = group.session else { continue }
                        next += 1
                        if mayRecur[next - 1] {
                            guard part.isWhole, among.contains(scan.part.device) else { continue }
                            let fold = try fold(group, &scan, &names)
                            part.pieces.add(
                                SessionPiece(
                                    device: scan.part.device, session: session,
                                    resource: scan.part.resource, fold: fold))
                        } else if among.hasSingles, wanted == nil {
                            let fold = try fold(group, &scan, &names)
                            let one = try found(
                                scan.part.device, scan.part.resource, fold, &resources, &days)
                            if let one { try add(&part.found, one) }
                        }
                    }
                }
                if part.isWhole, held.add(part.pieces.count - before) { continue }
                part.dropPieces()
                if !among.hasSingles { break }
            }
            return part
        }
    }

    /// Collects the other pieces of these sessions, before the range and after it.
    private func collectOthers(
        _ pieces: inout SessionPieces, _ reading: Reading
    ) throws(StorageError) {
        let window = scope.zone.window(from: scope.from, to: scope.to)
        var others: [SegmentList] = []
        for stretch in [
            EventList.always.lowerBound..<window.lowerBound,
            window.upperBound..<EventList.always.upperBound,
        ] {
            let list = try reading.segmentList(of: scope.app.id, stretch)
            if list.count > 0 { others.append(list) }
        }
        if others.isEmpty || pieces.count == 0 { return }
        let keys = pieces.keys(reading.account)
        for list in others { pieces.merge(try found(of: keys, list, outside: window, reading)) }
    }

    private func found(
        of keys: KeyFilter, _ list: SegmentList, outside window: Range<Int64>, _ reading: Reading
    ) throws(StorageError) -> SessionPieces {
        try reading.inParallel { () throws(StorageError) in
            var found = SessionPieces(reading.account)
            var names = SegmentKinds(kinds)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                guard keys.containsAny(of: scan.part.sessions) else { continue }
                while try scan.nextPart() {
                    // Collected already.
                    if scan.part.first < window.upperBound, scan.part.last >= window.lowerBound {
                        continue
                    }
                    for number in scan.part.groups.indices {
                        let group = scan.part.groups[number]
                        // A session of another device with that key begins outside too.
                        guard let session = group.session, keys.contains(session) else { continue }
                        let fold = try fold(group, &scan, &names)
                        found.add(
                            SessionPiece(
                                device: scan.part.device, session: session,
                                resource: scan.part.resource, fold: fold))
                    }
                }
            }
            return found
        }
    }

    /// Of the events of a group in the current part.
    private func fold(
        _ group: SegmentReader.Group, _ scan: inout SegmentScan, _ names: inout SegmentKinds
    ) throws(StorageError) -> SessionFold {
        let timeout = scope.app.sessionTimeout
        if scan.part.longestGap <= timeout {
            return SessionFold(
                timeout: timeout, from: group.first, to: group.last, silence: group.silence,
                count: group.range.count, hasStart: group.hasStart, isEnded: group.isEnded)
        }
        try scan.load([.times, .names])
        names.follow(scan.segment, scan.part.nameRows)
        scan.part.readTimes()
        scan.part.readNames()
        try scan.check()
        var fold = SessionFold(timeout: timeout)
        for index in group.range {
            fold.add(time: scan.part.times[index], kind: names.kind(at: scan.part.names[index]))
        }
        return fold
    }

    /// A session, if it began in the range and matches the filters.
    @inline(__always)
    private func found(
        _ device: Int64, _ resource: Int64, _ fold: SessionFold,
        _ resources: inout ResourceSet, _ days: inout LocalDays
    ) throws(StorageError) -> Found? {
        guard let day = days.day(at: fold.start),
            scope.from.number <= day, day <= scope.to.number,
            try resources.contains(resource)
        else { return nil }
        return Found(
            device: device, isShared: shared.contains(device), resource: resource, day: day,
            fold: fold)
    }

    /// What a thread has made of sessions of several pieces, and those whose pieces overlap.
    private struct Joined<Share: ReportShare>: ReportShare {
        var found: Share
        var resources: ResourceSet
        var days: LocalDays
        var tangled: Concatenated<TangledSessions.Key>

        mutating func merge(_ other: Joined) throws(StorageError) {
            try found.merge(other.found)
            tangled.merge(other.tangled)
        }
    }

    /// Joins the pieces of each session, and adds it.
    private func join<Share: ReportShare>(
        _ pieces: SessionPieces, _ empty: Share, _ reading: Reading,
        _ add: @escaping @Sendable (inout Share, Found) throws(StorageError) -> Void
    ) throws(StorageError) -> Share {
        let none = Joined(
            found: empty, resources: resources,
            days: LocalDays(scope.zone, from: scope.from, to: scope.to),
            tangled: Concatenated(reading.account))
        let timeout = scope.app.sessionTimeout
        var joined = try pieces.collect(none, reading) { (joined, pieces) throws(StorageError) in
            let first = pieces[pieces.startIndex]
            var fold = first.fold(timeout)
            for piece in pieces.dropFirst() {
                if piece.start <= fold.last {
                    return joined.tangled.append(
                        TangledSessions.Key(session: first.session, device: first.device))
                }
                fold.add(piece.fold(timeout))
            }
            let one = try found(
                first.device, first.resource, fold, &joined.resources, &joined.days)
            if let one { try add(&joined.found, one) }
        }
        try reading.check()
        var tangled = TangledSessions(timeout: timeout, reading.account)
        for key in joined.tangled.all { tangled.insert(key) }
        try tangled.forEach(of: scope.app.id, kinds, reading) {
            (device, resource, fold) throws(StorageError) in
            let one = try found(device, resource, fold, &joined.resources, &joined.days)
            if let one { try add(&joined.found, one) }
        }
        return joined.found
    }
}

/// How many pieces of sessions the threads of a report hold together.
final class PieceCount: Sendable {
    private let count = Atomic(0)
    private let limit: Int

    /// - Parameter limit: how many they may hold
    init(limit: Int) { self.limit = limit }

    /// Adds pieces. False if there are too many now.
    func add(_ some: Int) -> Bool {
        count.wrappingAdd(some, ordering: .relaxed).newValue <= limit
    }
}
