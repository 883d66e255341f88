import Database
import Storage
import TimeZones

/// `active`: how many devices had an event in each bucket. Its state is the set of pairs of device
/// and day: merging is union, so that neither order nor repetition nor grouping can matter.
package enum ActiveReport {
    /// What the catalogue says of it.
    package static let definition = ReportDefinition(
        name: "active",
        summary: "how many devices used the app, and how many of them for the first time",
        parameters: Parameter.common + [.interval] + Parameter.filters + [.format],
        columns: [
            Column("date", .date, group: .key),
            Column("active", .integer, unit: "devices", isDrawn: true, group: .count),
            Column("active_7d", .integer, unit: "devices", only: [.day], group: .count),
            Column("active_30d", .integer, unit: "devices", only: [.day], group: .count),
            Column("new", .integer, unit: "devices", group: .count),
            Column(
                "stickiness", .decimal, unit: "ratio", only: [.day],
                group: .figure(of: [.own("active"), .own("active_30d")])),
        ],
        members: [
            Column(
                "monthly_average", .decimal, unit: "devices", only: [.month],
                group: .figure(of: [.own("active")]))
        ],
        answer: .rows { question, reading throws(StorageError) in
            try run(question, reading)
        })

    private static func run(
        _ question: Question, _ reading: Reading
    ) throws(StorageError) -> Report {
        // A day's 30 days reach 29 days back.
        let lookback = question.interval == .day ? 29 : 0
        let first = question.from.adding(days: -lookback)
        let shared = try SharedDevices(of: question.app.id, reading)
        let length = question.to.number - first.number + 1
        let scan = try DayScan(question, from: first, to: question.to, reading)
        let days = try scan.collect(
            DayMatrix(days: length, reading.account), reading
        ) { days, device, _, day in
            if !shared.contains(device) { days.insert(device, day - first.number) }
        }
        let seen = try Newcomers(question, filter: .everything, reading)
        try reading.check()
        return question.interval == .day
            ? byDay(question, days, seen, lookback: lookback) : byBucket(question, days, seen)
    }

    /// Rows of `day`: each device's days are gone through once; what it adds to the 7 and 30 days is
    /// written down as the day it begins to count and the day it ceases to.
    private static func byDay(
        _ question: Question, _ days: DayMatrix, _ seen: Newcomers, lookback: Int
    ) -> Report {
        let count = question.to.number - question.from.number + 1
        var active = [Int](repeating: 0, count: count)
        var new = active
        var week = [Int](repeating: 0, count: lookback + count + 1)
        var month = week
        for (place, device) in days.devices.enumerated() {
            var weekEnd = 0
            var monthEnd = 0
            let first = seen.firstDay(of: device).map { $0 - question.from.number }
            days.forEachDay(of: place) { day in
                cover(&week, from: day, length: 7, end: &weekEnd)
                cover(&month, from: day, length: 30, end: &monthEnd)
                guard day >= lookback else { return }
                active[day - lookback] += 1
                if day - lookback == first { new[day - lookback] += 1 }
            }
        }
        var rows: [Report.Row] = []
        var (weekly, monthly) = (0, 0)
        for day in 0..<(lookback + count) {
            weekly += week[day]
            monthly += month[day]
            guard day >= lookback else { continue }
            let place = day - lookback
            rows.append(
                Report.Row([
                    .date(question.from.adding(days: place)), .count(active[place]),
                    .count(weekly), .count(monthly), .count(new[place]),
                    .ratio(active[place], over: monthly),
                ]))
        }
        return Report(question, rows: rows)
    }

    /// A device counts from `day` on for `length` days. `end` is how far it counts already: what
    /// overlaps is not added again.
    private static func cover(_ changes: inout [Int], from day: Int, length: Int, end: inout Int) {
        let last = changes.count - 1
        let start = max(day, end)
        let newEnd = day + length
        changes[min(start, last)] += 1
        changes[min(newEnd, last)] -= 1
        end = newEnd
    }

    /// Rows of `week` and `month`.
    private static func byBucket(
        _ question: Question, _ days: DayMatrix, _ seen: Newcomers
    ) -> Report {
        let buckets = Buckets(from: question.from, to: question.to, by: question.interval)
        var active = [Int](repeating: 0, count: buckets.count)
        var new = active
        for (place, device) in days.devices.enumerated() {
            var last: Int?
            let first = seen.firstDay(of: device).flatMap { buckets.place(ofDay: $0) }
            days.forEachDay(of: place) { day in
                guard let bucket = buckets.place(ofDay: question.from.number + day), bucket != last
                else { return }
                last = bucket
                active[bucket] += 1
                if bucket == first { new[bucket] += 1 }
            }
        }
        var rows: [Report.Row] = []
        for (place, start) in buckets.starts.enumerated() {
            rows.append(Report.Row([.date(start), .count(active[place]), .count(new[place])]))
        }
        var report = Report(question, rows: rows)
        if question.interval == .month {
            let whole = (0..<buckets.count).filter(buckets.isWhole)
            let sum = whole.reduce(0) { $0 + active[$1] }
            report.members.append(
                Report.Member(
                    "monthly_average",
                    .quotient(Int128(sum), over: Int128(whole.count), places: 3), of: whole))
        }
        return report
    }
}
