import Database
import Storage
import TimeZones

/// Which events happened how often, and on how many devices; of one name also by the values of one
/// attribute.
enum EventsQuery {
    /// How often events of each name happened, by the name's row.
    private struct Counts: ReportShare {
        var codes: RowCodes
        var sums: NamedSums

        init(_ buckets: Buckets?, _ account: ReportAccount) {
            codes = RowCodes(account)
            sums = NamedSums(by: buckets, account)
        }

        mutating func merge(_ other: Counts) throws(StorageError) {
            try sums.merge(other.sums, names: codes.merge(other.codes))
        }
    }

    /// Sums of each name.
    static func byName(
        _ scope: QueryScope, by interval: Interval?, limit: Int, _ reading: Reading
    ) throws(StorageError) -> [NamedSum] {
        guard let interval else { return try totals(scope, limit: limit, reading) }
        let buckets = scope.buckets(by: interval)
        let shared = try SharedDevices(of: scope.app.id, reading)
        let list = try EventList(scope, times: false, reading)
        var counts = try reading.inParallel { () throws(StorageError) in
            var counts = Counts(buckets, reading.account)
            var scan = NameScan(list, buckets)
            while try scan.next() {
                let device = shared.contains(scan.device) ? nil : scan.device
                scan.forEach { row, day, count in
                    let name = counts.codes.code(of: row)
                    counts.sums.add(Int64(count), of: count, to: name, day: day, device: device)
                }
            }
            return counts
        }
        let names = try EventNames.texts(of: counts.codes.rows, reading)
        try reading.check()
        let rows = try counts.sums.ranked(limit: limit, reading) { names[$0] < names[$1] }
        return sums(rows) { names[$0] }
    }

    /// Sums of each value. Events without the attribute have the number 0, texts follow from 1.
    static func byValue(
        _ scope: QueryScope, _ name: ByteText, _ key: ByteText, limit: Int, _ reading: Reading
    ) throws(StorageError) -> [NamedSum] {
        let shared = try SharedDevices(of: scope.app.id, reading)
        let list = try AttributeList(scope, names: [name], attributes: [key], reading)
        var values = try reading.inParallel { () throws(StorageError) in
            var values = TextSums(by: nil, reading.account)
            var scan = AttributeScan(list)
            while try scan.next() {
                let value = scan.value(0) { 1 + values.codes.code(ofScalar: $0) }
                values.sums.add(
                    1, to: value ?? 0, day: scan.day,
                    device: shared.contains(scan.device) ? nil : scan.device)
            }
            return values
        }
        try reading.check()
        let codes = values.codes
        let rows = try values.sums.ranked(limit: limit, reading) { codes.precedes(name: $0, $1) }
        return sums(rows) { codes.text(ofName: $0) }
    }

    private static func sums(
        _ ranked: [NamedSums.Ranked], name: (Int) -> ByteText?
    ) -> [NamedSum] {
        ranked.map { ranked in
            NamedSum(
                bucket: ranked.sum.bucket, name: name(ranked.sum.name), total: ranked.sum.total,
                events: ranked.sum.count, devices: ranked.devices)
        }
    }
}
