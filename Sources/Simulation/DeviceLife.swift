/// The life of one simulated device, day after day: when the app is used, and when what is told of it
/// reaches the server.
struct DeviceLife {
    /// Chances per mille; the rest of a life is uneventful.
    private enum Chance {
        /// A session happens without a network: its batches wait for the next one with it.
        static let offline = 60
        /// The user comes back within the same session.
        static let resume = 220
        /// The end of a session is told in the next batch.
        static let lateEnd = 30
        /// The end of a session is never told.
        static let killed = 20
        /// The answer is lost, so that the batch is posted again.
        static let repeated = 12
        /// A batch is lost on the device.
        static let lost = 2
    }

    /// How much is going on in each hour of the device's day.
    private static let hours = [
        6, 3, 2, 1, 1, 3, 14, 34, 46, 38, 36, 52, 78, 62, 40, 36, 40, 52, 74, 86, 80, 62, 38, 18,
    ]
    /// How much is going on each day from Monday on, in percent.
    private static let weekdays = [88, 92, 96, 100, 112, 118, 108]

    let traits: DeviceTraits
    private let index: Int
    private var random: SeededRandom
    private var hasLeft = false
    private var sequence: Int64
    private var sessions = 0
    private var dropped = 0
    /// When the device was last busy: the next session is after it.
    private var busyUntil: Int64 = 0
    /// When the last batch was posted: none is posted before it.
    private var lastDelivery: Int64 = 0
    private var lateEnd: PlannedBatch.LateEnd?
    /// Batches that wait for a network.
    private var waiting: [PlannedBatch] = []

    /// A life that has not begun to be told. `index` is what its batches name the device by.
    init(traits: DeviceTraits, index: Int, period: SimulationPeriod) {
        self.traits = traits
        self.index = index
        random = SeededRandom(seed: SeededRandom.mix(traits.seed, 1))
        // Who was there before the period has counted batches before.
        let age = max(period.firstDay - traits.installDay, 0)
        sequence = age * Int64(traits.habit.dailyUse) / 500
    }

    /// Plans the batches that tell of `day`.
    mutating func plan(day: Int64, into batches: inout [PlannedBatch]) {
        guard !hasLeft, day >= traits.installDay else { return }
        let isFirst = day == traits.installDay
        if isFirst || random.chance(perMille: chanceOfUse(on: day)) {
            let count = 1 + random.below(traits.habit.sessions)
            // Hours first and in order: a device does one thing after the other.
            var starts = (0..<count).map { _ in moment(of: day) }
            starts.sort()
            for start in starts { planSession(start, into: &batches) }
        }
        hasLeft = random.chance(perMille: traits.habit.leaving)
    }

    private mutating func chanceOfUse(on day: Int64) -> Int {
        let age = Int(max(day - traits.installDay, 0))
        // New is interesting: half as much again at first, a tenth of that after two months.
        let novelty = 1_000 + 500 * 6 / (6 + age)
        // 1970-01-01 was a Thursday.
        let weekday = Self.weekdays[Int((day + 3) % 7)]
        return min(traits.habit.dailyUse * novelty / 1_000 * weekday / 100, 980)
    }

    private mutating func moment(of day: Int64) -> Int64 {
        let local = random.index(in: Self.hours)
        let hour = (local - traits.zone + 24) % 24
        return day * SimulationPeriod.day + Int64(hour) * 3_600_000
            + Int64(random.below(3_600_000))
    }

    private mutating func planSession(_ wish: Int64, into batches: inout [PlannedBatch]) {
        sessions += 1
        let isOffline = random.chance(perMille: Chance.offline)
        var opening = PlannedBatch.Opening.start
        var start = max(wish, busyUntil + 60_000)
        while true {
            let length = length(isWhole: opening == .start)
            let goesOn = random.chance(perMille: Chance.resume)
            let batch = freeze(opening, start, length, closing: closing(goesOn))
            if let batch { deliver(batch, isOffline: isOffline, into: &batches) }
            busyUntil = start + length
            guard goesOn else { return }
            opening = .resume
            // Some pauses are longer than the session's timeout of half an hour.
            start =
                busyUntil + Int64(random.within(5_000...300_000))
                * (random.chance(perMille: 150) ? 10 : 1)
        }
    }

    /// Milliseconds of use in one go: many short ones, few long ones.
    private mutating func length(isWhole: Bool) -> Int64 {
        let skew = (random.below(1_000) + 1) * (random.below(1_000) + 1) / 1_000
        let seconds = (isWhole ? 15 : 8) + skew * (isWhole ? 720 : 300) / 1_000
        return Int64(seconds * traits.platform.engagement / 100) * 1_000
            + Int64(random.below(1_000))
    }

    private mutating func closing(_ goesOn: Bool) -> PlannedBatch.Closing {
        if goesOn { return .end }
        if random.chance(perMille: Chance.lateEnd) { return .later }
        return random.chance(perMille: Chance.killed) ? .never : .end
    }

    /// The next batch, or nil if the device loses it.
    private mutating func freeze(
        _ opening: PlannedBatch.Opening, _ start: Int64, _ length: Int64,
        closing: PlannedBatch.Closing
    ) -> PlannedBatch? {
        let isLost = random.chance(perMille: Chance.lost)
        let batch = PlannedBatch(
            device: index, sequence: sequence, delivery: start + length, seed: random.next(),
            session: sessions, start: start, length: length, opening: opening, closing: closing,
            lateEnd: lateEnd, dropped: dropped)
        sequence += 1
        guard !isLost else {
            dropped += random.within(4...30)
            return nil
        }
        dropped = 0
        lateEnd =
            closing == .later
            ? PlannedBatch.LateEnd(session: sessions, time: start + length) : nil
        return batch
    }

    private mutating func deliver(
        _ batch: PlannedBatch, isOffline: Bool, into batches: inout [PlannedBatch]
    ) {
        guard !isOffline else {
            waiting.append(batch)
            return
        }
        // What waited goes first, when the app comes up again with a network.
        for old in waiting {
            post(old, at: batch.start + Int64(random.within(500...5_000)), into: &batches)
        }
        waiting.removeAll(keepingCapacity: true)
        post(batch, at: batch.made + Int64(random.within(150...4_000)), into: &batches)
    }

    private mutating func post(
        _ batch: PlannedBatch, at moment: Int64, into batches: inout [PlannedBatch]
    ) {
        var batch = batch
        batch.delivery = max(moment, lastDelivery)
        batches.append(batch)
        if random.chance(perMille: Chance.repeated) {
            batch.isRepeat = true
            batch.delivery += Int64(random.within(1_000...60_000))
            batches.append(batch)
        }
        lastDelivery = batch.delivery
    }
}
