import Database
import Storage
import TimeZones

/// `events`: which events happened how often, and on how many devices; of one name also by the
/// values of one attribute.
package enum EventsReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "events",
        summary: "which events happened how often, on how many devices; or with which values",
        parameters: Parameter.common + [
            .optionalInterval,
            Parameter("name", "with by: only events of this name", .text),
            Parameter(
                "by", "with name, without interval: rows by the values of this attribute", .text),
        ] + Parameter.filters + [.limit, .format],
        columns: [
            Column("date", .date, with: "interval", group: .key),
            Column("name", .text, without: "by", group: .key),
            Column("value", .text, with: "by", group: .key),
            Column("events", .integer, unit: "events", isDrawn: true),
            Column("devices", .integer, unit: "devices", group: .count),
        ],
        isNamedByDevices: true,
        check: { question throws(ReportError) in
            guard question.isGiven("name") || question.isGiven("by") else { return }
            for name in ["name", "by"] where !question.isGiven(name) {
                throw ReportError(
                    .missingParameter, "\(name) is required: name and by are given together")
            }
            if question.isGiven("interval") {
                throw .invalid("interval", "must not be given together with name and by")
            }
        },
        answer: .rows { question, reading throws(StorageError) in
            if let name = question.texts("name").first, let key = question.texts("by").first {
                try byValue(question, name, key, reading)
            } else {
                try byName(question, reading)
            }
        })

    /// How often names were met, by their rows.
    private struct NameCounts: ReportShare {
        var codes: RowCodes
        var sums: NamedSums

        init(_ buckets: Buckets?, _ account: ReportAccount) {
            codes = RowCodes(account)
            sums = NamedSums(by: buckets, account)
        }

        mutating func merge(_ other: NameCounts) throws(StorageError) {
            try sums.merge(other.sums, names: codes.merge(other.codes))
        }
    }

    private static func byName(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let buckets = question.givenBuckets
        let shared = try SharedDevices(of: question.app.id, reading)
        let list = try EventList(question, times: false, reading)
        var counts = try reading.inParallel { () throws(StorageError) in
            var counts = NameCounts(buckets, reading.account)
            var scan = EventScan(list)
            while try scan.next() {
                counts.sums.add(
                    1, to: counts.codes.code(of: scan.name), day: scan.day,
                    device: shared.contains(scan.device) ? nil : scan.device)
            }
            return counts
        }
        let names = try EventNames.texts(of: counts.codes.rows, reading)
        try reading.check()
        let rows = try counts.sums.ranked(limit: question.limit, reading) { names[$0] < names[$1] }
        return report(question, rows, buckets) { .text(names[$0]) }
    }

    /// Events without the attribute stand under null, which is number 0; texts follow it.
    private static func byValue(
        _ question: Question, _ name: ByteText, _ key: ByteText, _ reading: Reading
    ) throws(StorageError) -> Report {
        let shared = try SharedDevices(of: question.app.id, reading)
        let list = try AttributeList(question, names: [name], attributes: [key], reading)
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
        let rows = try values.sums.ranked(limit: question.limit, reading) { a, b in
            a == 0 ? b != 0 : b != 0 && codes.precedes(a - 1, b - 1)
        }
        return report(question, rows, nil) { $0 == 0 ? .null : .text(codes[$0 - 1]) }
    }

    private static func report(
        _ question: Question, _ ranked: [NamedSums.Ranked], _ buckets: Buckets?,
        name: (Int) -> Cell
    ) -> Report {
        let rows = ranked.map { ranked in
            let sum = ranked.sum
            let date = buckets.map { [Cell.date($0.starts[sum.bucket])] } ?? []
            return Report.Row(date + [name(sum.name), .count(sum.count), .count(ranked.devices)])
        }
        return Report(question, rows: rows)
    }
}
