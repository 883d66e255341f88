/// The app's versions: one every two weeks, and how fast devices take them.
struct ReleaseCalendar: Sendable {
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
