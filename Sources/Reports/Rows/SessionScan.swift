import Events
import Storage

/// All sessions that began in a range of local days and that a question's filters let through
/// (docs/reports.md, Sessions), from segments.
///
/// What a batch has of a session on one day is folded as it comes by: a piece. Most sessions are one
/// piece, or several of which each ends before the next begins: their folds are added. The few whose
/// pieces overlap are folded event by event.
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
    private let shared: SharedDevices
    private let kinds: SessionKinds
    private let devices: Set<Int64>?

    /// Pieces that are held at once, some 100 octets each: where there are more, the devices are gone
    /// through in several rounds.
    static let mostPieces = 2_000_000
    /// Each round goes through all segments. A round holds more than `mostPieces` where so many do not
    /// spread them: one device's are held whatever they are.
    private static let mostRounds: Int64 = 64

    /// For the range and the filters of a question.
    /// - Parameter devices: only sessions of these, by their rows; nil: of all
    init(
        _ question: Question, devices: [Int64]? = nil, _ reading: Reading
    ) throws(StorageError) {
        self.question = question
        self.devices = devices.map(Set.init)
        resources = try ResourceSet(question.filter, reading)
        shared = try SharedDevices(of: question.app.id, reading)
        kinds = try SessionKinds(reading)
    }

    /// Calls `body` with each session, in no order. Throws what the database throws.
    /// - Parameter mostPieces: held at once
    func forEach(
        _ reading: Reading, mostPieces: Int = SessionScan.mostPieces, _ body: (Found) -> Void
    ) throws(StorageError) {
        var rounds: Int64 = 1
        var round: Int64 = 0
        while round < rounds {
            var pieces = SessionPieces()
            let among = Among(devices: devices, round: round, rounds: rounds)
            let mayRestart = round == 0 && rounds < Self.mostRounds
            let most = mayRestart ? mostPieces : .max
            if try !collect(&pieces, among, most: most, reading) {
                rounds *= 2
                continue
            }
            try forEach(in: &pieces, reading, body)
            round += 1
        }
    }

    /// Which devices a round is about.
    private struct Among {
        let devices: Set<Int64>?
        let round: Int64
        let rounds: Int64

        func contains(_ device: Int64) -> Bool {
            if rounds > 1, device % rounds != round { return false }
            return devices?.contains(device) ?? true
        }
    }

    /// All pieces of the sessions that have one near the range.
    /// - Returns: false where there are more than `most`, as soon as it is seen
    private func collect(
        _ pieces: inout SessionPieces, _ among: Among, most: Int, _ reading: Reading
    ) throws(StorageError) -> Bool {
        let window = question.zone.window(from: question.from, to: question.to)
        var names = SegmentKinds(kinds)
        var scan = try reading.segments(of: question.app.id, window, [.times, .names])
        while try scan.next() {
            guard among.contains(scan.part.device) else { continue }
            names.follow(scan.segment, scan.part)
            scan.part.readTimes()
            scan.part.readNames()
            try scan.check()
            for group in scan.part.groups {
                guard let session = group.session else { continue }
                pieces.add(piece(group, session, scan.part, names))
            }
            if pieces.count > most { return false }
        }
        // Other pieces of these sessions, before the range and behind it.
        let others = [
            EventScan.always.lowerBound..<window.lowerBound,
            window.upperBound..<EventScan.always.upperBound,
        ]
        for stretch in others {
            var scan = try reading.segments(of: question.app.id, stretch, [.times, .names])
            while try scan.next() {
                // Seen already.
                if scan.part.first < window.upperBound, scan.part.last >= window.lowerBound {
                    continue
                }
                guard among.contains(scan.part.device) else { continue }
                scan.part.readSessions()
                try scan.check()
                var isRead = false
                for group in scan.part.groups {
                    guard let session = group.session,
                        pieces.mayContain(session, of: scan.part.device),
                        pieces.contains(session, of: scan.part.device)
                    else { continue }
                    if !isRead {
                        isRead = true
                        names.follow(scan.segment, scan.part)
                        scan.part.readTimes()
                        scan.part.readNames()
                        try scan.check()
                    }
                    pieces.add(piece(group, session, scan.part, names))
                }
            }
        }
        return true
    }

    private func piece(
        _ group: SegmentReader.Group, _ session: UInt64, _ part: borrowing SegmentReader,
        _ names: borrowing SegmentKinds
    ) -> SessionPiece {
        var fold = SessionFold(timeout: question.app.sessionTimeout)
        for place in group.range {
            fold.add(time: part.times[place], kind: names.kind(at: part.names[place]))
        }
        return SessionPiece(
            device: part.device, session: session, resource: part.resource, fold: fold)
    }

    /// Puts the pieces together.
    private func forEach(
        in pieces: inout SessionPieces, _ reading: Reading, _ body: (Found) -> Void
    ) throws(StorageError) {
        var days = LocalDays(question.zone, from: question.from, to: question.to)
        let range = question.from.number...question.to.number
        func report(_ device: Int64, _ resource: Int64, _ fold: SessionFold) {
            guard let day = days.day(at: fold.start), range.contains(day),
                resources.contains(resource)
            else { return }
            body(
                Found(
                    device: device, isShared: shared.contains(device), resource: resource,
                    day: day, fold: fold))
        }
        try reading.check()
        var tangled = TangledSessions(timeout: question.app.sessionTimeout)
        pieces.forEachSession { pieces in
            let first = pieces[pieces.startIndex]
            var fold = first.fold
            for piece in pieces.dropFirst() {
                if piece.fold.start <= fold.last {
                    tangled.insert(first.session, of: first.device)
                    return
                }
                fold.add(piece.fold)
            }
            report(first.device, first.resource, fold)
        }
        try tangled.forEach(of: question.app.id, kinds, reading, report)
    }
}
