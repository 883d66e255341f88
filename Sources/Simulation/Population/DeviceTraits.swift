import Client

/// What stays the same about a simulated device for its whole life.
struct DeviceTraits: Sendable {
    /// The stream of chance that only this device draws from.
    let seed: UInt64
    let platform: Platform
    let model: Platform.Model
    /// What it is replaced by.
    let nextModel: Platform.Model
    let habit: Habit
    /// The raw id that an older client sends as `device.id`; nil for what the client makes itself.
    let oldIdentity: String?
    /// The day of installation; before the period for those who were there already.
    let installDay: Int64
    let home: Home
    /// Place of the system's version in the platform's list when the period begins.
    let osVersion: Int
    /// From this day on the system is one version newer; nil if it stays.
    let osUpgradeDay: Int64?
    /// Days after a release until the device has it; nil if it never updates.
    let updateLag: Int?
    let clock: ClockTraits
    /// Bytes of its journal at most.
    let journalLimit: Int
    /// On which day of use it is replaced by another with a copy of its files, from 1; nil for never.
    let copyOn: Int?

    /// What every Android device of some makers once answered for its id: known to be shared.
    static let sharedIdentity = "9774d56d682e549c"

    /// Whether its id is one that others have, too.
    var isShared: Bool { oldIdentity == Self.sharedIdentity }

    /// The device with this number. Any other number of devices leaves it as it is.
    init(number: Int, population: Population) {
        let period = population.period
        let shares = population.shares
        seed = SeededRandom.mix(population.root, UInt64(number))
        var random = SeededRandom(seed: seed)
        platform = Platform.all[random.index(in: Platform.all.map(\.weight))]
        let weights = platform.models.map(\.weight)
        model = platform.models[random.index(in: weights)]
        nextModel = platform.models[random.index(in: weights)]
        home = population.homes[random.index(in: population.homes.map(\.weight))]
        osVersion = random.index(in: platform.versions.map(\.weight))
        let isOld = random.chance(perMille: 550)
        if isOld {
            installDay = period.firstDay - Int64(random.within(1...200))
        } else {
            installDay = period.firstDay + Int64(random.below(period.days))
        }
        // Who is still there after months is no trial.
        let habits = isOld ? [0, 30, 40, 30] : [30, 30, 25, 15]
        habit = Habit.allCases[random.index(in: habits)]
        osUpgradeDay =
            random.chance(perMille: 200)
            ? period.firstDay + Int64(random.below(period.days)) : nil
        updateLag =
            switch random.below(100) {
            case ..<40: random.within(0...1)
            case ..<80: random.within(2...6)
            case ..<94: random.within(7...20)
            default: nil
            }
        let hasOldIdentity = platform.name == "Android" && random.chance(perMille: 80)
        let isShared = random.chance(perMille: 80)
        let id = RandomID.text(random.next(), random.next())
        oldIdentity = hasOldIdentity ? (isShared ? Self.sharedIdentity : id) : nil
        clock = ClockTraits(shares, &random)
        journalLimit =
            random.chance(perMyriad: shares.tinyJournals)
            ? random.within(3_000...12_000) : Limits().journal
        copyOn = random.chance(perMyriad: shares.copies) ? random.within(1...12) : nil
    }

    /// The name of its system's version on `day`.
    func osVersion(on day: Int64) -> String {
        let isUpgraded = osUpgradeDay.map { day >= $0 } ?? false
        return platform.versions[max(osVersion - (isUpgraded ? 1 : 0), 0)].name
    }

    /// The release of the app it has on `day`.
    func release(on day: Int64, _ calendar: ReleaseCalendar) -> Int {
        // Who installs takes what the store has on that day.
        let installed = calendar.newest(on: installDay - 1)
        guard let updateLag else { return max(installed, -3) }
        return max(installed, calendar.newest(on: day - Int64(updateLag)), -3)
    }
}
