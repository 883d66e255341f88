import Columns
import Database
import Events
import Storage
import Synchronization
import TimeZones

/// All sessions that began in a range of local days and that a question's filters let through
/// (docs/reports.md, Sessions), from segments.
///
/// What a batch has of a session on one day is a piece. Most sessions are one piece, and reported as it
/// comes by. Of others the pieces are put together: where each ends before the next begins, their folds
/// are added; the few whose pieces overlap are folded event by event.
struct SessionScan: Sendable {
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

    private let scope: QueryScope
    private let resources: ResourceSet
    private let shared: SharedDevices
    private let kinds: SessionKinds
    private let wanted: SessionSet?

    /// Pieces that are held at once, some 130 octets each: where there are more, the devices are gone
    /// through in several rounds.
    static let mostPieces = 500_000
    /// Each round goes through all segments. A round holds more than `mostPieces` where so many do not
    /// spread them: one device's are held whatever they are.
    private static let mostRounds: Int64 = 64

    /// For the range and the filters of a question.
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

    /// Adds each session, in no order. Throws what the database throws.
    /// - Parameters:
    ///   - empty: what each thread begins with
    ///   - mostPieces: held at once
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading, mostPieces: Int = SessionScan.mostPieces,
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
            let mayRestart = round == 0 && rounds < Self.mostRounds
            var made = try collect(
                empty, among, most: mayRestart ? mostPieces : .max, reading, add)
            try all.merge(made.found)
            isFirst = false
            if !made.isWhole {
                rounds *= 2
                continue
            }
            try collectOthers(&made.pieces, reading)
            try forEach(in: made.pieces, reading) { (found) throws(StorageError) in
                try add(&all, found)
            }
            round += 1
        }
        return all
    }

    /// Which pieces a round is about.
    private struct Among: Sendable {
        let wanted: SessionSet?
        let recurring: RecurringSessions?
        let round: Int64
        let rounds: Int64
        /// Sessions of one piece too.
        let hasSingles: Bool

        /// Whether other pieces of a session have to be looked for.
        @inline(__always)
        func mayRecur(_ session: UInt64) -> Bool {
            recurring?.mayContain(session) ?? wanted?.contains(session) ?? true
        }

        @inline(__always)
        func contains(_ device: Int64) -> Bool { rounds == 1 || device % rounds == round }
    }

    /// What a thread has made of sessions that are one piece, and pieces of the others.
    private struct Part<Share: ReportShare>: ReportShare {
        var found: Share
        var pieces: SessionPieces
        /// There were not too many of them; else there are none.
        var isWhole = true
        private let account: ReportAccount

        init(found: Share, _ account: ReportAccount) {
            self.found = found
            self.account = account
            pieces = SessionPieces(account)
        }

        /// They were too many.
        mutating func dropPieces() {
            isWhole = false
            pieces = SessionPieces(account)
        }

        mutating func merge(_ other: Part) throws(StorageError) {
            try found.merge(other.found)
            if isWhole, other.isWhole { pieces.merge(other.pieces) } else { dropPieces() }
        }
    }

    /// Collects all pieces of those sessions that have one in the range and may have more than one, `most`
    /// at most, and adds the others.
    private func collect<Share: ReportShare>(
        _ empty: Share, _ among: Among, most: Int, _ reading: Reading,
        _ add: @escaping @Sendable (inout Share, Found) throws(StorageError) -> Void
    ) throws(StorageError) -> Part<Share> {
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let list = try reading.segmentList(of: scope.app.id, window)
        let held = PieceCount(most: most)
        return try reading.inParallel { () throws(StorageError) in
            var part = Part(found: empty, reading.account)
            var resources = resources
            var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
            var names = SegmentKinds(kinds)
            var mayRecur: [Bool] = []
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                if let wanted, !wanted.containsAny(of: scan.part.sessions) { continue }
                // All at once: each look goes somewhere else in memory, and none waits for another.
                mayRecur.removeAll(keepingCapacity: true)
                for session in scan.part.sessions { mayRecur.append(among.mayRecur(session)) }
                let before = part.pieces.count
                while try scan.nextPart() {
                    var place = scan.part.firstSession
                    for number in scan.part.groups.indices {
                        let group = scan.part.groups[number]
                        guard let session = group.session else { continue }
                        place += 1
                        if mayRecur[place - 1] {
                            guard part.isWhole, among.contains(scan.part.device) else { continue }
                            part.pieces.add(try piece(group, session, &scan, &names))
                        } else if among.hasSingles, wanted == nil {
                            let piece = try piece(group, session, &scan, &names)
                            let one = try found(
                                piece.device, piece.resource, piece.fold, &resources, &days)
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

    /// Other pieces of these sessions, before the range and behind it.
    private func collectOthers(
        _ pieces: inout SessionPieces, _ reading: Reading
    ) throws(StorageError) {
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let others = [
            EventList.always.lowerBound..<window.lowerBound,
            window.upperBound..<EventList.always.upperBound,
        ]
        for stretch in others {
            let list = try reading.segmentList(of: scope.app.id, stretch)
            for piece in try found(of: pieces, list, outside: window, reading) {
                pieces.add(piece)
            }
        }
    }

    private func found(
        of pieces: SessionPieces, _ list: SegmentList, outside window: Range<Int64>,
        _ reading: Reading
    ) throws(StorageError) -> [SessionPiece] {
        try reading.inParallel { () throws(StorageError) in
            var found = Concatenated<SessionPiece>(reading.account)
            var names = SegmentKinds(kinds)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                guard pieces.containsAny(of: scan.part.sessions) else { continue }
                while try scan.nextPart() {
                    // Seen already.
                    if scan.part.first < window.upperBound, scan.part.last >= window.lowerBound {
                        continue
                    }
                    for number in scan.part.groups.indices {
                        let group = scan.part.groups[number]
                        guard let session = group.session,
                            pieces.contains(session, of: scan.part.device)
                        else { continue }
                        found.append(try piece(group, session, &scan, &names))
                    }
                }
            }
            return found
        }.all
    }

    private func piece(
        _ group: SegmentReader.Group, _ session: UInt64, _ scan: inout SegmentScan,
        _ names: inout SegmentKinds
    ) throws(StorageError) -> SessionPiece {
        let timeout = scope.app.sessionTimeout
        var fold: SessionFold
        if scan.part.longestGap <= timeout {
            fold = SessionFold(
                timeout: timeout, from: group.first, to: group.last, silence: group.silence,
                count: group.range.count, hasStart: group.hasStart, isEnded: group.isEnded)
        } else {
            try scan.load([.times, .names])
            names.follow(scan.segment, scan.part.nameRows)
            scan.part.readTimes()
            scan.part.readNames()
            try scan.check()
            fold = SessionFold(timeout: timeout)
            for place in group.range {
                fold.add(time: scan.part.times[place], kind: names.kind(at: scan.part.names[place]))
            }
        }
        return SessionPiece(
            device: scan.part.device, session: session, resource: scan.part.resource, fold: fold)
    }

    /// A session, if it began in the range and the filters let it through.
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

    /// Puts the pieces together.
    private func forEach(
        in pieces: SessionPieces, _ reading: Reading,
        _ body: (Found) throws(StorageError) -> Void
    ) throws(StorageError) {
        var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        var resources = resources
        func report(
            _ device: Int64, _ resource: Int64, _ fold: SessionFold
        ) throws(StorageError) {
            let found = try found(device, resource, fold, &resources, &days)
            if let found { try body(found) }
        }
        try reading.check()
        var tangled = TangledSessions(
            timeout: scope.app.sessionTimeout, reading.account)
        try pieces.forEachSession { (pieces) throws(StorageError) in
            let first = pieces[pieces.startIndex]
            var fold = first.fold
            for piece in pieces.dropFirst() {
                if piece.fold.start <= fold.last {
                    tangled.insert(first.session, of: first.device)
                    return
                }
                fold.add(piece.fold)
            }
            try report(first.device, first.resource, fold)
        }
        try tangled.forEach(of: scope.app.id, kinds, reading, report)
    }
}

/// How many pieces of sessions the threads of a report hold together.
final class PieceCount: Sendable {
    private let count = Atomic(0)
    private let most: Int

    /// - Parameter most: how many they may hold
    init(most: Int) { self.most = most }

    /// Adds some. False where there are too many.
    func add(_ some: Int) -> Bool {
        count.wrappingAdd(some, ordering: .relaxed).newValue <= most
    }
}
