import Database
import Events
import Storage
import TimeZones

/// How far each counter was counted up, how often and on how many devices.
enum CountersQuery {
    static func run(
        _ scope: QueryScope, by interval: Interval?, limit: Int, _ reading: Reading
    ) throws(StorageError) -> [NamedSum] {
        let buckets = interval.map { scope.buckets(by: $0) }
        let shared = try SharedDevices(of: scope.app.id, reading)
        let list = try EventList(
            scope, names: [ByteText(StandardEvent.usageCounter.name)], times: false,
            subjects: true, reading)
        var counters = try reading.inParallel { () throws(StorageError) in
            var counters = TextSums(by: buckets, reading.account)
            var scan = EventScan(list)
            while try scan.next() {
                guard let counter = scan.subjectCode({ 1 + counters.codes.code(ofScalar: $0) })
                else { continue }
                counters.sums.add(
                    scan.amount, to: counter, day: scan.day,
                    device: shared.contains(scan.device) ? nil : scan.device)
            }
            return counters
        }
        try reading.check()
        let codes = counters.codes
        let ranked = try counters.sums.ranked(limit: limit, reading) {
            codes.precedes($0 - 1, $1 - 1)
        }
        return ranked.map { ranked in
            NamedSum(
                bucket: ranked.sum.bucket, name: codes[ranked.sum.name - 1],
                total: ranked.sum.total, events: ranked.sum.count, devices: ranked.devices)
        }
    }
}
