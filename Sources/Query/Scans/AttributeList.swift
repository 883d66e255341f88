import Columns
import Database
import Events
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

/// Keys of attributes and what stands for them in the database.
enum AttributeKeys {
    /// Of keys as devices write them. Throws what the database throws.
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
