import Database
import Storage
import TimeZones

/// `retention`: who comes back. Its state is, for each device of a cohort, a set of periods: merging
/// is union, so that neither order nor repetition nor grouping can matter.
package enum RetentionReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "retention",
        summary: "how many of the devices first seen in a period came back in the ones after it",
        parameters: Parameter.common + [.cohort, .periods] + Parameter.filters + [.format],
        columns: [
            Column("cohort", .date, group: .key),
            Column("size", .integer, unit: "devices", group: .size),
            Column(
                "p", .integer, unit: "devices", numberedBy: Parameter.periods.name, isDrawn: true,
                group: .count),
        ],
        sources: [.today],
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        let cohorts = Buckets(from: question.from, to: question.to, by: question.cohort)
        let columns = question.periods + 1
        let devices = try Newcomers(question, reading)
        var sizes = [Int](repeating: 0, count: cohorts.count)
        let places = devices.firstDays.map { cohorts.place(ofDay: $0) ?? 0 }
        for place in places { sizes[place] += 1 }
        let starts = periodStarts(question, cohorts)
        // Bit k of a device: it was active in the k-th period after its cohort's.
        let active = try activity(question, devices, places, starts, reading)
        var counts = [Int](repeating: 0, count: cohorts.count * columns)
        for (place, bits) in zip(places, active) {
            var rest = bits
            while rest != 0 {
                counts[place * columns + rest.trailingZeroBitCount] += 1
                rest &= rest - 1
            }
        }
        try reading.check()
        var rows: [Report.Row] = []
        for (place, start) in cohorts.starts.enumerated() {
            var cells: [Cell] = [.date(start), .count(sizes[place])]
            for period in 0..<columns {
                let isThere = place + period < starts.count
                cells.append(isThere ? .count(counts[place * columns + period]) : .null)
            }
            rows.append(Report.Row(cells))
        }
        return Report(question, rows: rows)
    }

    /// The first days of all periods that a column is about, but for those that begin after today.
    private static func periodStarts(_ question: Question, _ cohorts: Buckets) -> [CivilDate] {
        var starts: [CivilDate] = []
        var start = question.cohort.start(of: question.from)
        while start <= question.today, starts.count < cohorts.count + question.periods {
            starts.append(start)
            start = question.cohort.next(after: start)
        }
        return starts
    }

    /// A bit a period, by device.
    private struct Activity: ReportShare {
        var periods: [UInt128]

        mutating func merge(_ other: Activity) {
            for place in periods.indices { periods[place] |= other.periods[place] }
        }
    }

    /// In which periods, counted from its cohort's, each device was active. Filters choose devices,
    /// not events.
    private static func activity(
        _ question: Question, _ devices: Newcomers, _ places: [Int], _ starts: [CivilDate],
        _ reading: Reading
    ) throws(StorageError) -> [UInt128] {
        let none = Activity(periods: [UInt128](repeating: 0, count: devices.count))
        guard let last = starts.last, devices.count > 0 else { return none.periods }
        let end = question.cohort.next(after: last).adding(days: -1)
        // Before `from` none of them had an event.
        let periods = Buckets(from: question.from, to: end, by: question.cohort)
        let scan = try DayScan(question, from: question.from, to: end, filter: .everything, reading)
        let furthest = question.periods
        // Once more for each thread.
        let room = HeldOctets(reading.account, none.periods.octets * (reading.threads + 1))
        defer { withExtendedLifetime(room) {} }
        return try scan.collect(none, reading) { active, device, _, day in
            guard let code = devices.codes.known(device), let period = periods.place(ofDay: day)
            else { return }
            let distance = period - places[code]
            if (0...furthest).contains(distance) {
                active.periods[code] |= 1 << UInt128(distance)
            }
        }.periods
    }
}
