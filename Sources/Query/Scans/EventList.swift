import Columns
import Database
import Storage
import TimeZones

/// Which events a question is about, perhaps only those of some names: what all the scans that go through
/// them share.
///
/// Reports in which other events decide too ask for a stretch of time instead; `counts` then tells
/// which events the question is about.
struct EventList: Sendable {
    /// Rows of the names asked for; −1 where no event has had it yet.
    let names: [Int64]
    let isOfAllNames: Bool
    /// Subjects and amounts are asked for.
    let hasSubjects: Bool
    /// What is read of each segment at once.
    let columns: SegmentReader.Columns
    let resources: ResourceSet
    let days: LocalDays
    let range: ClosedRange<Int>
    /// The stretch of time asked for; nil: the range and the filters of the question.
    let window: Range<Int64>?
    let segments: SegmentList

    /// Every instant that an event can have.
    static let always: Range<Int64> = -(1 << 53)..<(1 << 53) + 1

    /// - Parameters:
    ///   - names: only events of these names, each once; nil: of all names
    ///   - times: `EventScan.time` will be asked for: without, times are read where they decide
    ///   - subjects: `EventScan.subjectCode` and `amount` will be asked for
    ///   - window: milliseconds since 1970-01-01T00:00:00Z; all events in it come, and `counts` tells
    ///     of each whether the question is about it; nil: only those come
    init(
        _ scope: QueryScope, names: [ByteText]? = nil, times: Bool, subjects: Bool = false,
        window: Range<Int64>? = nil, _ reading: Reading
    ) throws(StorageError) {
        var rows: [Int64] = []
        for name in names ?? [] { rows.append(try EventNames.row(of: name, reading) ?? -1) }
        self.names = rows
        isOfAllNames = names == nil
        hasSubjects = subjects
        var columns: SegmentReader.Columns = .names
        if subjects { columns.formUnion(.subjects) }
        if times { columns.formUnion(.times) }
        self.columns = columns
        resources = try ResourceSet(scope.filter, reading)
        days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        range = scope.from.number...scope.to.number
        self.window = window
        segments = try reading.segmentList(
            of: scope.app.id,
            window ?? scope.zone.window(from: scope.from, to: scope.to))
    }
}
