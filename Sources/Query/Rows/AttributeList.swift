import Columns
import Database
import Storage
import TimeZones

/// Events of some names in the days of a question that its filters let through, of which attributes will be
/// asked for: what all the scans that go through them share.
struct AttributeList: Sendable {
    /// Rows of the names; nil where no event has had it yet.
    let names: [Int64?]
    let keys: [AttributeKey]
    let resources: ResourceSet
    let days: LocalDays
    let range: ClosedRange<Int>
    let segments: SegmentList

    /// - Parameters:
    ///   - names: each once
    ///   - attributes: keys of attributes that `AttributeScan.value` will be asked for, by their places
    ///     here; one at least
    init(
        _ scope: QueryScope, names: [ByteText], attributes: [ByteText], _ reading: Reading
    ) throws(StorageError) {
        var rows: [Int64?] = []
        for name in names { rows.append(try EventNames.row(of: name, reading)) }
        self.names = rows
        keys = try AttributeKeys.found(attributes, reading)
        resources = try ResourceSet(scope.filter, reading)
        days = LocalDays(scope.zone, from: scope.from, to: scope.to)
        range = scope.from.number...scope.to.number
        segments = try reading.segmentList(
            of: scope.app.id, scope.zone.window(from: scope.from, to: scope.to))
    }
}
