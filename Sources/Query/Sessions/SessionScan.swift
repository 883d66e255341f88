import Database
import Events
import Storage
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

    let scope: QueryScope
    let resources: ResourceSet
    let shared: SharedDevices
    let kinds: SessionKinds
    let wanted: SessionSet?

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

    /// Adds a segment to a share.
    typealias SegmentBody<Share> =
        @Sendable (_ share: inout Share, _ scan: inout SegmentScan) throws(StorageError) -> Void

    /// Collects all sessions, in no order. Throws what the database throws.
    /// - Parameters:
    ///   - empty: the share each thread begins with
    ///   - maxPieces: the most pieces held at once; nil: as memory allows
    ///   - each: called once with each segment of the range, before its first part
    ///   - add: adds a session to a share
    func collect<Share: ReportShare>(
        _ empty: Share, _ reading: Reading, maxPieces: Int? = nil,
        each: @escaping SegmentBody<Share> = { _, _ in },
        _ add:
            @escaping @Sendable (_ share: inout Share, _ session: Found) throws(StorageError) ->
            Void
    ) throws(StorageError) -> Share {
        let recurring = wanted == nil ? try RecurringSessions(of: scope.app.id, reading) : nil
        var among = Among(wanted: wanted, recurring: recurring)
        var all = empty
        repeat {
            var made = try collect(
                empty, among, limit: maxPieces, reading, each, add)
            try all.merge(made.found)
            among.round.count = made.round.count
            try collectOthers(&made.pieces, among, reading)
            try all.merge(try join(made.pieces, empty, reading, add))
            among.round.number += 1
        } while among.round.number < among.round.count
        return all
    }

    /// A session, if it began in the range and matches the filters.
    @inline(__always)
    func found(
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
}
