import TimeZones

/// `retention`. It has all periods; which of them begin after today only the one who asks knows.
struct RetentionTally: Tally {
    private let cohort: Interval
    private let periods: Int
    private let cohorts: Buckets
    private var sizes: [Int]
    /// By cohort, then by period.
    private var active: [[Int]]

    init(_ cohort: Interval, periods: Int, _ calendar: ReportCalendar) {
        self.cohort = cohort
        self.periods = periods
        cohorts = calendar.buckets(by: cohort)
        sizes = Array(repeating: 0, count: cohorts.count)
        active = Array(
            repeating: Array(repeating: 0, count: periods + 1), count: cohorts.count)
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        guard let first = view.keptFirstSeen, let number = cohorts.index(ofDay: Int(first.day))
        else { return }
        sizes[number] += 1
        let start = ordinal(of: first.day)
        for period in Set(view.activeDays(all: true).map { ordinal(of: $0) - start })
        where (0...periods).contains(period) {
            active[number][period] += 1
        }
    }

    /// Which bucket of all time a day lies in: the next one has the next number.
    private func ordinal(of day: Int32) -> Int {
        let date = CivilDate(number: Int(day))
        switch cohort {
        case .day, .all: return date.number
        // Day 0 was a Thursday.
        case .week: return (date.number - date.weekday + 3) / 7
        case .month: return date.parts.year * 12 + date.parts.month
        }
    }

    mutating func merge(_ other: RetentionTally, _ renaming: Renaming) {
        sizes.add(other.sizes)
        for number in active.indices { active[number].add(other.active[number]) }
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(
            columns: ["cohort", "size"] + (0...periods).map { "p\($0)" }, keyCount: 1)
        answer.rows = cohorts.indices.map { number in
            [.text(cohorts.starts[number].text), .count(sizes[number])]
                + active[number].map { .count($0) }
        }
        return answer
    }
}
