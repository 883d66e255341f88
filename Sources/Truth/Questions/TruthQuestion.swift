import TimeZones

/// A question, and how its answer is counted.
struct TruthQuestion: Sendable {
    /// The name of a report.
    let report: String
    /// But for the range, the zone and what is known only at the end.
    let parameters: [Parameter]
    let filter: Filter
    /// It has no range of its own, and gets the scope's.
    let isRanged: Bool
    private let tally: @Sendable (ReportCalendar, inout Names) -> any Tally

    init(
        _ report: String, _ parameters: [Parameter] = [], where filter: Filter = .everything,
        isRanged: Bool = true,
        tally: @escaping @Sendable (ReportCalendar, inout Names) -> any Tally
    ) {
        self.report = report
        var parameters = parameters
        if case .only(let dimension, let value) = filter {
            parameters.append(Parameter(dimension.rawValue, value))
        }
        self.parameters = parameters
        self.filter = filter
        self.isRanged = isRanged
        self.tally = tally
    }

    /// A tally that has counted nothing.
    func makeTally(_ calendar: ReportCalendar, _ names: inout Names) -> any Tally {
        let tally = tally(calendar, &names)
        guard case .mostCommon(let dimension) = filter else { return tally }
        return MostCommonTally(dimension, tally)
    }
}
