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
        let round: Int64
        let rounds: Int64
        /// Whether it reports sessions of one piece too.
        let hasSingles: Bool

        /// Marks those sessions of the scan's segment that may have other pieces.
        func mark(_ scan: borrowing SegmentScan, _ marks: inout SessionMarks) {
            if let recurring { return recurring.mark(scan, &marks) }
            guard let wanted else { return marks.setAll(scan.part.sessions.count) }
            marks.clear(scan.part.sessions.count)
            marks.insert(scan.part.sessions) { wanted.contains($0) }
        }

        @inline(__always)
        func contains(_ device: Int64) -> Bool { rounds == 1 || device % rounds == round }
    }

    /// What a thread has made of sessions that are one piece, and pieces of the others.
    struct Part<Share: ReportShare>: ReportShare {
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
    /// at most `limit`, and adds the other sessions. Throws what the database throws.
    func collect<Share: ReportShare>(
        _ empty: Share, _ among: Among, limit: Int, _ reading: Reading,
        _ each: @escaping SegmentBody<Share>,
        _ add: @escaping @Sendable (inout Share, Found) throws(StorageError) -> Void
    ) throws(StorageError) -> Part<Share> {
        let window = scope.zone.window(from: scope.from, to: scope.to)
        let list = try reading.segmentList(of: scope.app.id, window)
        let held = PieceCount(limit: limit)
        return try reading.inParallel { () throws(StorageError) in
            var part = Part(found: empty, reading.account)
            var resources = resources
            var days = LocalDays(scope.zone, from: scope.from, to: scope.to)
            var marks = SessionMarks()
            var reader = PieceReader(timeout: scope.app.sessionTimeout, kinds)
            var scan = SegmentScan(list, .sessions)
            while try scan.nextSegment() {
                if among.hasSingles { try each(&part.found, &scan) }
                if let wanted, !wanted.containsAny(of: scan.part.sessions) { continue }
                among.mark(scan, &marks)
                let before = part.pieces.count
                let isWhole = part.isWhole
                try reader.forEach(of: &scan) { session, _, device in
                    marks[session]
                        ? isWhole && among.contains(device) : among.hasSingles && wanted == nil
                } _: { (piece) throws(StorageError) in
                    if marks[piece.session] { return part.pieces.add(SessionPiece(piece)) }
                    let one = try found(
                        piece.device, piece.resource, piece.fold, &resources, &days)
                    if let one { try add(&part.found, one) }
                }
                if part.isWhole, held.add(part.pieces.count - before) { continue }
                part.dropPieces()
                if !among.hasSingles { break }
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
                    among.contains(device) && marks[session] && keys.contains(key)
                } _: { piece in
                    found.add(SessionPiece(piece))
                }
            }
            return found
        }
    }
}
