/// What every report must say of devices, computed from what they meant by the definitions alone
/// (docs/reports.md). It keeps sums and, for percentiles, durations of sessions; never all events.
package struct Truth: Sendable {
    private let scope: TruthScope
    private let questions = TruthQuestion.all
    /// Those of the questions, in order.
    private var tallies: [any Tally]
    private var names = Names()
    private var preparer: DevicePreparer

    package init(_ scope: TruthScope) {
        self.scope = scope
        let calendar = ReportCalendar(scope)
        preparer = DevicePreparer(calendar, &names)
        tallies = []
        for question in questions { tallies.append(question.makeTally(calendar, &names)) }
    }

    /// Counts a device, which comes once.
    package mutating func add(_ device: ToldDevice) {
        let device = preparer.prepare(device, &names)
        for (index, question) in questions.enumerated() {
            tallies[index].add(DeviceView(device, question.filter, &names), &names)
        }
    }

    /// Counts what another has counted for the same scope.
    package mutating func merge(_ other: Truth) {
        let renaming = names.merge(other.names)
        for index in tallies.indices { tallies[index].merge(any: other.tallies[index], renaming) }
    }

    /// Every question with its answer: JSON, one row a line.
    package consuming func document() -> [UInt8] {
        var writer = DocumentWriter(scope)
        for (question, tally) in zip(questions, tallies) {
            writer.append(question, tally.answer(names))
        }
        return writer.finish()
    }
}
