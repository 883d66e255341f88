/// A believable population of devices and all that they post: a pure function of seed, number of
/// devices and period. Devices arrive over the period and leave, versions roll out, some batches
/// come late, some twice.
package struct Population: Sendable {
    /// In which order batches come.
    package enum Order: Sendable, Equatable {
        /// As they were posted in the simulated time; each device's in order of `sequence`.
        case delivery
        /// In an order that has nothing to do with it, a device's own neither.
        case shuffled(seed: UInt64)
    }

    /// How many devices there are.
    package let devices: Int
    /// The days they live through.
    package let period: SimulationPeriod
    /// Chance of everything: seed and period, so that two periods have no id in common.
    let root: UInt64

    /// A population of `devices` devices over `period`.
    ///
    /// - Throws: `SimulationFailure` when there are no devices or more than a million.
    package init(
        devices: Int, period: SimulationPeriod, seed: UInt64
    ) throws(SimulationFailure) {
        guard (1...1_000_000).contains(devices) else {
            throw SimulationFailure(reason: "there must be 1 to 1000000 devices")
        }
        self.devices = devices
        self.period = period
        root = SeededRandom.mix(
            SeededRandom.mix(seed, UInt64(bitPattern: period.firstDay)), UInt64(period.days))
    }

    /// The batches of one lane of `lanes`: every device is in one lane, so that lanes can be posted
    /// side by side and each device's batches still follow each other.
    package func batches(
        lane: Int = 0, of lanes: Int = 1, order: Order = .delivery
    ) -> SimulatedBatches {
        SimulatedBatches(self, lane: lane, lanes: max(lanes, 1), order: order)
    }

    /// How many batches all lanes have together: what a progress bar needs. Plans everything and
    /// writes nothing.
    package func count() -> Int {
        var plans = BatchPlans(self, lane: 0, lanes: 1)
        var count = 0
        while plans.next() != nil { count += 1 }
        return count
    }
}
