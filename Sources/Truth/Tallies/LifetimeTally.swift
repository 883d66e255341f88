/// `lifetime`: Kaplan–Meier's estimate of how long devices stay.
struct LifetimeTally: Tally {
    /// Days without an event after which a device is lost.
    private let inactive: Int
    /// The number of the last day of the range.
    private let to: Int
    /// By days lived, from 1 on.
    private var lives: [Int: Ends] = [:]

    private struct Ends {
        var lost = 0
        var censored = 0
    }

    init(inactive: Int, _ calendar: ReportCalendar) {
        self.inactive = inactive
        to = calendar.to
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        guard let first = view.keptFirstSeen,
            let last = view.activeDays(all: true).last(where: { $0 <= to })
        else { return }
        let days = Int(last) - Int(first.day) + 1
        if to - Int(last) >= inactive {
            lives[days, default: Ends()].lost += 1
        } else {
            lives[days, default: Ends()].censored += 1
        }
    }

    mutating func merge(_ other: LifetimeTally, _ renaming: Renaming) {
        for (days, ends) in other.lives {
            lives[days, default: Ends()].lost += ends.lost
            lives[days, default: Ends()].censored += ends.censored
        }
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(columns: ["day", "at_risk", "lost", "survival"], keyCount: 1)
        let lost = lives.values.reduce(0) { $0 + $1.lost }
        let censored = lives.values.reduce(0) { $0 + $1.censored }
        var atRisk = lost + censored
        var survival = ExactProduct()
        var median: Int?
        for day in 1..<(lives.keys.max() ?? 0) + 1 {
            let ends = lives[day] ?? Ends()
            survival.multiply(by: atRisk - ends.lost, over: atRisk)
            if median == nil, survival.isAtMostHalf { median = day }
            answer.rows.append([
                .count(day), .count(atRisk), .count(ends.lost),
                .number(Decimals.text(Int128(survival.millionths), decimals: 6)),
            ])
            atRisk -= ends.lost + ends.censored
        }
        answer.members = [
            .init(name: "devices", figure: .count(lost + censored)),
            .init(name: "lost", figure: .count(lost)),
            .init(name: "censored", figure: .count(censored)),
            .init(name: "median_lifetime", figure: median.map { .count($0) } ?? .missing),
        ]
        return answer
    }
}
