import Columns
import Database
import Storage
import TimeZones

/// Pieces of sessions, from segments.
extension SessionScan {
    /// The pieces that a round collects.
    struct Among: Sendable {
        let wanted: SessionSet?
        let recurring: RecurringSessions?
        var round = PieceRounds.Round.all

        /// Marks those sessions of the scan's segment that may have other pieces.
        func mark(_ scan: borrowing SegmentScan, _ marks: inout SessionMarks) {
            if let recurring { return recurring.mark(scan, &marks) }
            guard let wanted else { return marks.setAll(scan.part.sessions.count) }
            marks.clear(scan.part.sessions.count)
            marks.insert(scan.part.sessions) { wanted.contains($0) }
        }
    }

    /// What a thread has made of sessions that are one piece, and pieces of the others.
    struct Part<Found: ReportShare>: ReportShare {
        var found: Found
        var pieces: SessionPieces
        /// The devices whose pieces it has.
        private(set) var round: PieceRounds.Round
        private var counted = 0

        init(found: Found, _ round: PieceRounds.Round, _ account: ReportAccount) {
            self.found = found
            self.round = round
            pieces = SessionPieces(account)
        }

        /// Has what is new counted, and drops what is of other rounds.
        mutating func count(in all: PieceRounds) {
            while true {
                let rounds = all.add(pieces.count - counted, of: round)
                counted = pieces.count
                if rounds == round.count { return }
                split(into: rounds)
                counted = 0
            }
        }

        private mutating func split(into rounds: UInt64) {
            if rounds == round.count { return }
            round.count = rounds
            pieces.keep(round)
        }

        mutating func merge(_ other: Part) throws(StorageError) {
            try found.merge(other.found)
            var other = other
            let rounds = max(round.count, other.round.count)
            split(into: rounds)
            other.split(into: rounds)
            pieces.merge(other.pieces)
        }
    }

    /// Collects all pieces of those sessions that have one in the range and may have more than one, of a round's
    /// devices; the first round adds the other sessions, and says how many rounds there are. Throws what the database
    /// throws.
    /// - Parameter limit: the most pieces held at once; nil: as memory allows
    func collect<Share: ReportShare>(
        _ empty: Share, _ among: Among, limit: Int?, _ reading: Reading,
        _ each: @escaping SegmentBody<Share>,
        _ add: @escaping @Sendable (inout Share, Found) throws(StorageError) -> Void
    ) throws(StorageError) -> Part<Share> {
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let list = try reading.segmentList(of: scope.app.id, window)
        let round = among.round
        let all = PieceRounds(limit: limit, round, reading.account)
        let isFirst = round.number == 0
        return try reading.inParallel { () throws(StorageError) in
            var part = Part(found: empty, round, reading.account)
            var resources = resources
            var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
            var marks = SessionMarks()
            var reader = PieceReader(timeout: scope.app.sessionTimeout, kinds)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                if isFirst { try each(&part.found, &scan) }
                if let wanted, !wanted.containsAny(of: scan.part.sessions) { continue }
                among.mark(scan, &marks)
                let round = part.round
                try reader.forEach(of: &scan) { session, _, device in
                    marks[session] ? round.contains(device) : isFirst && wanted == nil
                } _: { (piece) throws(StorageError) in
                    if marks[piece.session] { return part.pieces.add(SessionPiece(piece)) }
                    let one = try found(
                        piece.device, piece.resource, piece.fold, &resources, &days)
                    if let one { try add(&part.found, one) }
                }
                part.count(in: all)
            }
            return part
        }
    }

    /// Collects the other pieces of these sessions, before the range and after it. Throws what the database
    /// throws.
    func collectOthers(
        _ pieces: inout SessionPieces, _ among: Among, _ reading: Reading
    ) throws(StorageError) {
        if pieces.count == 0 { return }
        let window = scope.zone.window(from: scope.from, to: scope.to)
        var others: [SegmentList] = []
        for stretch in [
            EventList.always.lowerBound..<window.lowerBound,
            window.upperBound..<EventList.always.upperBound,
        ] {
            let list: SegmentList
            if let recurring = among.recurring {
                list = try recurring.segments(within: stretch, with: pieces, reading)
            } else {
                list = try reading.segmentList(of: scope.app.id, stretch)
            }
            if list.count > 0 { others.append(list) }
        }
        if others.isEmpty { return }
        let keys = pieces.keys(reading.account)
        for list in others {
            pieces.merge(try found(of: keys, list, among, outside: window, reading))
        }
    }

    private func found(
        of keys: KeyFilter, _ list: SegmentList, _ among: Among, outside window: Range<Int64>,
        _ reading: Reading
    ) throws(StorageError) -> SessionPieces {
        try reading.inParallel { () throws(StorageError) in
            var found = SessionPieces(reading.account)
            var marks = SessionMarks()
            var reader = PieceReader(timeout: scope.app.sessionTimeout, kinds)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                among.mark(scan, &marks)
                guard marks.contains(anyOf: keys, scan.part.sessions) else { continue }
                // What touches the range is collected already. A session of another device with that key is
                // of another round, or begins outside too.
                try reader.forEach(of: &scan, except: window) { session, key, device in
                    among.round.contains(device) && marks[session] && keys.contains(key)
                } _: { piece in
                    found.add(SessionPiece(piece))
                }
            }
            return found
        }
    }
}
