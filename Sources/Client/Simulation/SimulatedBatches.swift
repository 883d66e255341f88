/// A population's batches, each written out when it is asked for.
package struct SimulatedBatches: Sequence, IteratorProtocol {
    private let lane: Int
    private let lanes: Int
    private let calendar: ReleaseCalendar
    private var plans: BatchPlans
    /// All plans in their shuffled order, next from the end.
    private var shuffled: [PlannedBatch]?

    init(_ simulation: Simulation, lane: Int, lanes: Int, order: Simulation.Order) {
        self.lane = lane
        self.lanes = lanes
        var random = SeededRandom(seed: simulation.root)
        calendar = ReleaseCalendar(period: simulation.period, random: &random)
        plans = BatchPlans(simulation, lane: lane, lanes: lanes)
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
        for place in stride(from: all.count - 1, to: 0, by: -1) {
            all.swapAt(place, random.below(place + 1))
        }
        return all
    }
}
