import Client

/// What stays the same about a simulated device for its whole life.
struct DeviceTraits {
    /// How somebody uses the app, with the chance that a day is a day of use.
    enum Habit: Int, CaseIterable {
        /// Tries it and leaves within days.
        case trial
        case occasional
        case regular
        case loyal

        /// Chance of a day of use, per mille.
        var dailyUse: Int { [500, 180, 520, 860][rawValue] }
        /// Chance to leave for good after a day, per mille.
        var leaving: Int { [300, 14, 8, 3][rawValue] }
        /// Sessions on a day of use, at most.
        var sessions: Int { [2, 2, 3, 5][rawValue] }
    }

    /// The stream of chance that only this device draws from.
    let seed: UInt64
    let platform: Platform
    let model: Platform.Model
    let habit: Habit
    /// The raw id that the device sends.
    let identity: String
    /// Whether the id is `device.id`, as older clients send it.
    let hasOldIdentity: Bool
    /// The day of installation; before the period for those who were there already.
    let installDay: Int64
    /// Hours by which its clock is ahead of UTC.
    let zone: Int
    /// Place of the system's version in the platform's list when the period begins.
    let osVersion: Int
    /// From this day on the system is one version newer; nil if it stays.
    let osUpgradeDay: Int64?
    /// Days after a release until the device has it; nil if it never updates.
    let updateLag: Int?

    /// What every Android device of some makers once answered for its id: known to be shared.
    private static let sharedIdentity = "9774d56d682e549c"
    private static let zones = [0, 1, 2, 3, -5, -8]
    private static let zoneWeights = [18, 52, 14, 4, 8, 4]

    /// The device with this number. Any other number of devices leaves it as it is.
    init(number: Int, root: UInt64, period: SimulationPeriod) {
        seed = SeededRandom.mix(root, UInt64(number))
        var random = SeededRandom(seed: seed)
        platform = Platform.all[random.index(in: Platform.all.map(\.weight))]
        model = platform.models[random.index(in: platform.models.map(\.weight))]
        zone = Self.zones[random.index(in: Self.zoneWeights)]
        osVersion = random.index(in: platform.versions.map(\.weight))
        let isOld = random.chance(perMille: 550)
        if isOld {
            installDay = period.firstDay - Int64(random.within(1...200))
        } else {
            installDay = period.firstDay + Int64(random.below(period.days))
        }
        // Who is still there after months is no trial.
        let weights = isOld ? [0, 30, 40, 30] : [30, 30, 25, 15]
        habit = Habit.allCases[random.index(in: weights)]
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
        hasOldIdentity = platform.name == "Android" && random.chance(perMille: 80)
        let high = random.next()
        let low = random.next()
        identity =
            hasOldIdentity && random.chance(perMille: 80)
            ? Self.sharedIdentity : RandomID.text(high, low)
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

/// The app's versions: one every two weeks, and how fast devices take them.
struct ReleaseCalendar {
    /// Days between two releases.
    private static let interval: Int64 = 14
    /// The release before the period is 5.4.0; devices that never update have older ones.
    private static let baseMinor = 4

    /// The day of the first release within the period.
    private let firstRelease: Int64

    /// The calendar of a period, its phase by chance.
    init(period: SimulationPeriod, random: inout SeededRandom) {
        firstRelease = period.firstDay + Int64(random.below(Int(Self.interval)))
    }

    /// The number of the newest release that was out on `day`: −1 before the period's first.
    func newest(on day: Int64) -> Int {
        let since = day - firstRelease
        return Int(
            since >= 0 ? since / Self.interval : -((-since + Self.interval - 1) / Self.interval))
    }

    /// `service.version` and `app.build_id` of a release. Releases before 5.0.0 do not occur.
    static func names(of release: Int) -> (version: String, build: String) {
        let minor = max(baseMinor + 1 + release, 0)
        return ("5.\(minor).0", "\(5_000 + minor * 10 + 1)")
    }

    /// How long screens take to load with a release, in percent: the first one within the period is
    /// slow, and the next one mends it.
    static func loading(of release: Int) -> Int { release == 0 ? 160 : 100 }
}
