import TimeZones

/// A believable population of devices: a pure function of seed, number of devices, period and shares.
/// Devices arrive over the period and leave, versions roll out, networks and clocks fail.
package struct Population: Sendable {
    /// How many devices there are.
    package let devices: Int
    /// The days they live through.
    package let period: SimulationPeriod
    /// What happens to how many of them.
    package let shares: Shares
    /// Chance of everything: seed and period, so that two periods have no id in common.
    let root: UInt64
    /// The app's versions.
    let calendar: ReleaseCalendar
    /// Where devices are.
    let homes: [Home]

    /// A population of `devices` devices over `period`.
    ///
    /// - Throws: `SimulationFailure` when there are no devices or more than a million, or when this
    ///   machine does not know a time zone.
    package init(
        devices: Int, period: SimulationPeriod, seed: UInt64, shares: Shares = Shares()
    ) throws(SimulationFailure) {
        guard (1...1_000_000).contains(devices) else {
            throw SimulationFailure(reason: "there must be 1 to 1000000 devices")
        }
        self.devices = devices
        self.period = period
        self.shares = shares
        root = SeededRandom.mix(
            SeededRandom.mix(seed, UInt64(bitPattern: period.firstDay)), UInt64(period.days))
        var random = SeededRandom(seed: root)
        calendar = ReleaseCalendar(period: period, random: &random)
        homes = try Home.all()
    }

    /// What stays the same about the device with this number, from 0.
    func traits(of number: Int) -> DeviceTraits { DeviceTraits(number: number, population: self) }
}
