import Columns
import Database
import Events
import Storage
import TimeZones

/// What all scans of the same events share, where the events have some names, lie in the days of a
/// question, match its filters, and are asked for their attributes.
struct AttributeList: Sendable {
    /// Rows of the names; nil for a name that no event has had yet.
    let names: [Int64?]
    let keys: [AttributeKey]
    let resources: ResourceSet
    let days: LocalDays
    let range: ClosedRange<Int>
    let segments: SegmentList
    /// Whether the scan's caller asks for times, mostly.
    let hasTimes: Bool
    /// Of the report.
    let account: ReportAccount

    /// - Parameters:
    ///   - names: each once
    ///   - attributes: keys of attributes, by whose indices here `AttributeScan.value` is asked; at
    ///     least one
    ///   - times: whether the caller uses `AttributeScan.time`
    ///   - stretch: one of `Stretches`, whose events alone come: no event is compared with it, so its ends are
    ///     midnights of UTC or those of the range; nil: all
    init(
        _ scope: QueryScope, names: [ByteText], attributes: [ByteText], times: Bool = false,
        within stretch: Range<Int64>? = nil, _ reading: Reading
    ) throws(StorageError) {
        var rows: [Int64?] = []
        for name in names { rows.append(try EventNames.row(of: name, reading)) }
        self.names = rows
        keys = try AttributeKeys.found(attributes, reading)
        account = reading.account
        hasTimes = times
        resources = try ResourceSet(scope.filter, reading)
        days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        range = scope.from.number...scope.to.number
        let all = scope.zone.window(from: scope.from, to: scope.to)
        segments = try reading.segmentList(of: scope.app.id, stretch.map(all.clamped) ?? all)
    }
}

/// Finds how the database stores keys of attributes.
enum AttributeKeys {
    /// Finds keys as devices write them. Throws what the database throws.
    static func found(
        _ keys: [ByteText], _ reading: Reading
    ) throws(StorageError) -> [AttributeKey] {
        let find = try reading.prepare("SELECT id FROM attribute_key WHERE text = ?1")
        var found: [AttributeKey] = []
        for key in keys {
            if key == ByteText(StandardAttribute.sessionID.key) {
                found.append(.session)
                continue
            }
            try find.bindText(1, key.bytes)
            found.append(try find.step() ? .row(find.int(0)) : .none)
            find.reset()
        }
        return found
    }
}
