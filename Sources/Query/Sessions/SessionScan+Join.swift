import Database
import Storage
import TimeZones

/// Sessions of several pieces.
extension SessionScan {
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

    /// Joins the pieces of each session, and adds it. Throws what the database throws.
    func join<Share: ReportShare>(
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
