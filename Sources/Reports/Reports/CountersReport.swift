import Database
import Events
import Storage
import TimeZones

/// `counters`: how far each counter was counted up (`usage.counter`), how often and on how many
/// devices.
package enum CountersReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "counters",
        summary: "how far each counter went up, in how many steps, on how many devices",
        parameters: Parameter.common + [.optionalInterval] + Parameter.filters + [.limit, .format],
        columns: [
            Column("date", .date, with: "interval", group: .key),
            Column("counter", .text, group: .key),
            Column("total", .integer, isDrawn: true),
            Column("increments", .integer, unit: "events"),
            Column("devices", .integer, unit: "devices", group: .count),
        ],
        isNamedByDevices: true,
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let buckets = question.givenBuckets
        let shared = try SharedDevices(of: question.app.id, reading)
        let list = try EventList(
            question, names: [ByteText(StandardEvent.usageCounter.name)], times: false,
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
        let ranked = try counters.sums.ranked(limit: question.limit, reading) {
            codes.precedes($0 - 1, $1 - 1)
        }
        let rows = ranked.map { ranked in
            let sum = ranked.sum
            let date = buckets.map { [Cell.date($0.starts[sum.bucket])] } ?? []
            return Report.Row(
                date + [
                    .text(codes[sum.name - 1]), .sum(Int128(sum.total)), .count(sum.count),
                    .count(ranked.devices),
                ])
        }
        return Report(question, rows: rows)
    }
}
