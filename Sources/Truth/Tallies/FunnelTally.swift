/// `funnel` of steps that are names of events, each another.
struct FunnelTally: Tally {
    private let steps: [String]
    private let ids: [NameID]
    /// Milliseconds.
    private let within: Int64
    /// Devices that have surely come to each step, and those that may have.
    private var reached: [Int]
    private var perhaps: [Int]

    init(_ steps: [String], within: Int64, _ names: inout Names) {
        precondition(Set(steps).count == steps.count)
        self.steps = steps
        self.within = within
        ids = steps.map { names.id(of: $0) }
        reached = Array(repeating: 0, count: steps.count)
        perhaps = reached
    }

    mutating func add(_ view: DeviceView, _ names: inout Names) {
        guard !view.device.isShared else { return }
        let events = view.device.events.compactMap { event -> (time: Int64, step: Int)? in
            guard let step = ids.firstIndex(of: event.name), view.isKept(event) else { return nil }
            return (event.time, step)
        }
        // Events of one millisecond may stand in the order that leads furthest.
        let ordered = events.sorted { ($0.time, $0.step) < ($1.time, $1.step) }
        let slack = view.device.batches.contains { $0.isCorrected } ? TruthScope.slack : 0
        for step in 0..<depth(ordered, within: within - slack) { reached[step] += 1 }
        for step in 0..<depth(ordered, within: within + slack) { perhaps[step] += 1 }
    }

    /// How many steps follow each other in time.
    private func depth(_ ordered: [(time: Int64, step: Int)], within: Int64) -> Int {
        // The latest beginning from which a step was reached.
        var starts = [Int64?](repeating: nil, count: steps.count)
        for (time, step) in ordered {
            if step == 0 {
                starts[0] = time
            } else if let start = starts[step - 1], time - start <= within {
                starts[step] = max(starts[step] ?? start, start)
            }
        }
        return starts.firstIndex { $0 == nil } ?? steps.count
    }

    mutating func merge(_ other: FunnelTally, _ renaming: Renaming) {
        reached.add(other.reached)
        perhaps.add(other.perhaps)
    }

    func answer(_ names: Names) -> Answer {
        var answer = Answer(
            columns: ["step", "matcher", "devices", "from_first", "from_previous"], keyCount: 2)
        answer.rows = steps.indices.map { step in
            [
                .count(step + 1), .text(steps[step]),
                .count(from: reached[step], to: perhaps[step]), share(step, of: 0),
                step == 0 ? .missing : share(step, of: step - 1),
            ]
        }
        return answer
    }

    private func share(_ step: Int, of earlier: Int) -> Figure {
        guard reached != perhaps, reached[earlier] > 0 else {
            return .ratio(reached[step], reached[earlier])
        }
        return .between(
            Decimals.ratio(Int128(reached[step]), Int128(perhaps[earlier])),
            Decimals.ratio(Int128(perhaps[step]), Int128(reached[earlier])))
    }
}
