/// A population's batches, each written out when it is asked for.
package struct SimulatedBatches: Sequence, IteratorProtocol {
    private let lane: Int
    private let lanes: Int
    private let calendar: ReleaseCalendar
    private var plans: BatchPlans
    /// All plans in their shuffled order, next from the end.
    private var shuffled: [PlannedBatch]?

    init(_ population: Population, lane: Int, lanes: Int, order: Population.Order) {
        self.lane = lane
        self.lanes = lanes
        var random = SeededRandom(seed: population.root)
        calendar = ReleaseCalendar(period: population.period, random: &random)
        plans = BatchPlans(population, lane: lane, lanes: lanes)
        if case .shuffled(let seed) = order { shuffled = Self.shuffle(&plans, seed: seed) }
    }

    /// The next batch, nil after the last.
    package mutating func next() -> SimulatedBatch? {
        let plan = shuffled == nil ? plans.next() : shuffled?.popLast()
        guard let plan else { return nil }
        return SimulatedBatch(
            plan, device: lane + plan.device * lanes, traits: plans.lives[plan.device].traits,
            calendar: calendar)
    }

    /// All plans, in an order drawn from `seed` (Fisher and Yates).
    private static func shuffle(_ plans: inout BatchPlans, seed: UInt64) -> [PlannedBatch] {
        var random = SeededRandom(seed: seed)
        var all: [PlannedBatch] = []
        while let plan = plans.next() { all.append(plan) }
        for index in stride(from: all.count - 1, to: 0, by: -1) {
            all.swapAt(index, random.below(index + 1))
        }
        return all
    }
}

/// Plans of batches in the order of their posting, a day at a time.
struct BatchPlans {
    private let period: SimulationPeriod
    private(set) var lives: [DeviceLife]
    /// Days that are planned.
    private var day = 0
    /// Plans of days before this one, sorted, next from `index` on.
    private var ready: [PlannedBatch] = []
    private var index = 0
    /// Plans that are posted on a later day than they were planned on.
    private var held: [PlannedBatch] = []

    /// The plans of one lane's devices.
    init(_ population: Population, lane: Int, lanes: Int) {
        period = population.period
        lives = stride(from: lane, to: population.devices, by: lanes).enumerated().map {
            let traits = DeviceTraits(
                number: $0.element, root: population.root, period: population.period)
            return DeviceLife(traits: traits, index: $0.offset, period: population.period)
        }
    }

    /// The next plan; nil when the period is over.
    mutating func next() -> PlannedBatch? {
        while index == ready.count {
            guard day < period.days else { return nil }
            planDay()
        }
        defer { index += 1 }
        return ready[index]
    }

    private mutating func planDay() {
        let number = period.firstDay + Int64(day)
        for index in lives.indices { lives[index].plan(day: number, into: &held) }
        day += 1
        // Nothing planned from now on is posted before the next midnight; and what would be posted
        // after the end never was.
        let limit = min((number + 1) * SimulationPeriod.day, period.end)
        ready.removeAll(keepingCapacity: true)
        index = 0
        var later: [PlannedBatch] = []
        for batch in held {
            if batch.delivery < limit { ready.append(batch) } else { later.append(batch) }
        }
        held = later
        ready.sort(by: PlannedBatch.precedes)
    }
}
