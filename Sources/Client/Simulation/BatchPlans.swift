/// Plans of batches in the order of their posting, a day at a time.
struct BatchPlans {
    private let period: SimulationPeriod
    private(set) var lives: [DeviceLife]
    /// Days that are planned.
    private var day = 0
    /// Plans of days behind us, sorted, next from `place` on.
    private var ready: [PlannedBatch] = []
    private var place = 0
    /// Plans that are posted on a later day than they were planned on.
    private var held: [PlannedBatch] = []

    /// The plans of one lane's devices.
    init(_ simulation: Simulation, lane: Int, lanes: Int) {
        period = simulation.period
        lives = stride(from: lane, to: simulation.devices, by: lanes).enumerated().map {
            let traits = DeviceTraits(
                number: $0.element, root: simulation.root, period: simulation.period)
            return DeviceLife(traits: traits, place: $0.offset, period: simulation.period)
        }
    }

    /// The next plan; nil when the period is over.
    mutating func next() -> PlannedBatch? {
        while place == ready.count {
            guard day < period.days else { return nil }
            planDay()
        }
        defer { place += 1 }
        return ready[place]
    }

    private mutating func planDay() {
        let number = period.firstDay + Int64(day)
        for place in lives.indices { lives[place].plan(day: number, into: &held) }
        day += 1
        // Nothing planned from now on is posted before the next midnight; and what would be posted
        // after the end never was.
        let limit = min((number + 1) * SimulationPeriod.day, period.end)
        ready.removeAll(keepingCapacity: true)
        place = 0
        var later: [PlannedBatch] = []
        for batch in held {
            if batch.delivery < limit { ready.append(batch) } else { later.append(batch) }
        }
        held = later
        ready.sort(by: PlannedBatch.precedes)
    }
}
