/// How long screens take to load on one device while it is used: mostly a little, now and then very
/// long. It draws from a stream of its own, so that nothing else depends on it.
struct LoadTimes {
    /// A device's stream of chance has others for everything else.
    private static let stream: UInt64 = 2
    /// A load waits for something, and takes twice as long; and perhaps again.
    private static let waiting = 150
    private static let mostWaits = 6

    private var random: SeededRandom
    /// How long loads take here, in percent of what is usual.
    private let percent: Int

    /// The load times of a stretch of use that `seed` stands for, with this release of the app.
    init(seed: UInt64, platform: Platform, release: Int) {
        random = SeededRandom(seed: SeededRandom.mix(seed, Self.stream))
        percent = platform.loading * ReleaseCalendar.loading(of: release) / 100
    }

    /// Tenths of milliseconds until a screen is there that usually takes `usual` milliseconds.
    mutating func next(usual: Int) -> Int64 {
        // Two draws, so that the middle comes up more often than the ends.
        let spread = 400 + random.below(500) + random.below(500)
        var tenths = usual * 10 * percent / 100 * spread / 1_000
        var waits = 0
        while waits < Self.mostWaits, random.chance(perMille: Self.waiting) {
            tenths *= 2
            waits += 1
        }
        return Int64(tenths)
    }
}
