import Query
import Reports
import StoreTestSupport
import TimeZones

/// The reports about who stays, by brute force.
extension Twin {
    /// Devices first seen in the range by an event that the filters let through, and the local days
    /// of what is left of their events, behind the day they were first seen.
    private func newcomers() -> [[Int]] {
        let own = Dictionary(grouping: events, by: \.batch.device)
        return firsts.compactMap { device, first in
            guard !shared.contains(device), (from...to).contains(day(first.event.time)),
                matches(first.batch)
            else { return nil }
            return [day(first.event.time)] + (own[device] ?? []).map { day($0.event.time) }
        }
    }

    /// - Parameter cohort: one of `Interval.calendar`
    func retention(cohort: Interval, periods: Int) -> [[Cell]] {
        let devices = newcomers()
        func start(_ day: Int) -> CivilDate? { cohort.start(of: CivilDate(number: day)) }
        let today = day(now)
        var starts: [CivilDate] = []
        for day in (from...to).compactMap(start) where starts.last != day { starts.append(day) }
        return starts.map { begin -> [Cell] in
            let members = devices.filter { start($0[0]) == begin }
            var cells: [Cell] = [.text(begin.text), .int(Int64(members.count))]
            var period = begin
            for _ in 0...periods {
                let came = members.count { days in
                    days.dropFirst().contains { start($0) == period }
                }
                cells.append(period.number > today ? .null : .int(Int64(came)))
                period = cohort.next(after: period) ?? period
            }
            return cells
        }
    }

    /// Members and rows.
    func lifetime(inactive: Int) -> (members: [Cell], rows: [[Cell]]) {
        let lives = newcomers().map { days -> (length: Int, isLost: Bool) in
            let last = days.filter { $0 <= to }.max() ?? days[0]
            return (last - days[0] + 1, to - last >= inactive)
        }
        var (n, d): (Int128, Int128) = (1, 1)
        var median: Int?
        var rows: [[Cell]] = []
        for day in 1..<((lives.map(\.length).max() ?? 0) + 1) {
            let atRisk = lives.count { $0.length >= day }
            let lost = lives.count { $0.length == day && $0.isLost }
            n *= Int128(atRisk - lost)
            d *= Int128(atRisk)
            if lost == 0 {
                n /= Int128(atRisk)
                d /= Int128(atRisk)
            }
            if median == nil, 2 * n <= d { median = day }
            rows.append([
                .int(Int64(day)), .int(Int64(atRisk)), .int(Int64(lost)),
                .decimal(units: Int64((2_000_000 * n + d) / (2 * d)), places: 6),
            ])
        }
        let lost = lives.count { $0.isLost }
        return (
            [
                .int(Int64(lives.count)), .int(Int64(lost)), .int(Int64(lives.count - lost)),
                median.map { .int(Int64($0)) } ?? .null,
            ], rows
        )
    }
}
