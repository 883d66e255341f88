import Columns
import Database
import Storage
import TimeZones

/// What all scans of the same events share: the events that a question is about, perhaps only those
/// of some names.
///
/// Reports that also need other events ask for a stretch of time instead; `EventScan.counts` is
/// then true for the events that the question is about.
struct EventList: Sendable {
    /// Rows of the names asked for; −1 for a name that no event has had yet.
    let names: [Int64]
    /// Whether subjects and amounts are asked for.
    let hasSubjects: Bool
    /// The columns that are read of each segment at once.
    let columns: SegmentReader.Columns
    let resources: ResourceSet
    let days: LocalDays
    let range: ClosedRange<Int>
    /// The stretch of time asked for; nil: the range and the filters of the question.
    let window: Range<Int64>?
    let segments: SegmentList

    /// Every time that an event can have.
    static let always: Range<Int64> = -(1 << 53)..<(1 << 53) + 1

    /// - Parameters:
    ///   - names: only events of these names, each once; nil: of all names, for a `NameScan`
    ///   - times: whether the caller uses `EventScan.time`; else times are read only where they
    ///     decide
    ///   - subjects: whether the caller uses `EventScan.subjectCode` and `amount`
    ///   - window: milliseconds since 1970-01-01T00:00:00Z; the scan yields all events in it, with
    ///     `counts` true for those that the question is about; nil: only those
    ///   - stretch: one of `Stretches`, whose events alone come: no event is compared with it, so its ends are
    ///     midnights of UTC or those of the range; nil: all
    init(
        _ scope: QueryScope, names: [ByteText]? = nil, times: Bool, subjects: Bool = false,
        window: Range<Int64>? = nil, within stretch: Range<Int64>? = nil, _ reading: Reading
    ) throws(StorageError) {
        var rows: [Int64] = []
        for name in names ?? [] { rows.append(try EventNames.row(of: name, reading) ?? -1) }
        self.names = rows
        hasSubjects = subjects
        var columns: SegmentReader.Columns = .names
        if subjects { columns.formUnion(.subjects) }
        if times { columns.formUnion(.times) }
        self.columns = columns
        resources = try ResourceSet(scope.filter, reading)
        days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        range = scope.from.number...scope.to.number
        self.window = window
        let all = window ?? scope.zone.window(from: scope.from, to: scope.to)
        segments = try reading.segmentList(
            of: scope.app.id, stretch.map(all.clamped) ?? all)
    }
}
