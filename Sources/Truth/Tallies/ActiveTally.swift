import TimeZones

/// `active` (docs/reports.md, active).
struct ActiveTally: Tally {
    private let interval: Interval
    private let buckets: Buckets
    private var active: [Int]
    private var new: [Int]
    /// Devices in the 7 and in the 30 days that end with a day.
    private var windows: [[Int]]

    private static let windowLengths = [7, 30]

    init(_ interval: Interval, _ calendar: ReportCalendar) {
        self.interval = interval
        buckets = calendar.buckets(by: interval)
        let zeros = [Int](repeating: 0, count: buckets.count)
        active = zeros
        new = zeros
        windows = interval == .day ? [zeros, zeros] : []
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        guard !view.device.isShared else { return }
        let days = view.activeDays()
        let firstDay = view.device.firstSeen.map { Int($0.day) }
        let firstBucket = firstDay.flatMap { buckets.index(ofDay: $0) }
        var last: Int?
        for bucket in days.compactMap({ buckets.index(ofDay: Int($0)) }) where bucket != last {
            last = bucket
            active[bucket] += 1
            if bucket == firstBucket { new[bucket] += 1 }
        }
        guard interval == .day else { return }
        for (window, length) in Self.windowLengths.enumerated() {
            var counted = -1
            for day in days {
                // The days in whose window it lies, as indexes of days of the range.
                let index = Int(day) - buckets.from.number
                let start = max(index, counted + 1)
                let end = min(index + length, active.count)
                guard start < end else { continue }
                for day in start..<end { windows[window][day] += 1 }
                counted = end - 1
            }
        }
    }

    mutating func merge(_ other: ActiveTally, _ renaming: Renaming) {
        active.add(other.active)
        new.add(other.new)
        for window in windows.indices { windows[window].add(other.windows[window]) }
    }

    func answer(_ names: Names) -> Answer {
        let isDay = interval == .day
        var answer = Answer(
            columns: isDay
                ? ["date", "active", "active_7d", "active_30d", "new", "stickiness"]
                : ["date", "active", "new"], keyCount: 1)
        answer.rows = buckets.indices.map { bucket in
            let date = Figure.text(buckets.starts[bucket].text)
            guard isDay else { return [date, .count(active[bucket]), .count(new[bucket])] }
            return [
                date, .count(active[bucket]), .count(windows[0][bucket]),
                .count(windows[1][bucket]), .count(new[bucket]),
                .ratio(active[bucket], windows[1][bucket]),
            ]
        }
        if interval == .month {
            let whole = buckets.indices.filter { buckets.isWhole($0) }
            let sum = whole.reduce(0) { $0 + active[$1] }
            let mean = { Decimals.rounded(Int128(sum) * 1000, Int128(whole.count)) }
            answer.members = [
                Figure.Member(
                    name: "monthly_average",
                    figure: whole.isEmpty
                        ? .missing : .number(Decimals.text(mean(), decimals: 3)))
            ]
        }
        return answer
    }
}
