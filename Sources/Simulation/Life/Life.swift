/// The life of one simulated device, a day at a time: when the app is used and how that ends, when there is
/// no network, when somebody sets the clock, when it is replaced.
struct Life {
    /// Chances per mille; the rest of a life is uneventful.
    private enum Chance {
        /// The user comes back within the same session.
        static let resume = 220
        /// A use that the network is too bad for.
        static let offline = 30
        /// A use over a slow network.
        static let weak = 120
        /// The system has ended the app before it is used again.
        static let ended = 550
        /// Something is recorded in the background.
        static let push = 40
    }

    /// How much is going on in each hour of the device's day.
    private static let hours = [
        6, 3, 2, 1, 1, 3, 14, 34, 46, 38, 36, 52, 78, 62, 40, 36, 40, 52, 74, 86, 80, 62, 38, 18,
    ]
    /// How much is going on each day from Monday on, in percent.
    private static let weekdays = [88, 92, 96, 100, 112, 118, 108]

    private let traits: DeviceTraits
    private let shares: Shares
    private let period: SimulationPeriod
    private let calendar: ReleaseCalendar
    private let keepsDistance: Bool
    private var random: SeededRandom
    private var day: Int64
    /// Days on which the app was used.
    private var used = 0
    private var hasLeft = false
    /// When the device was last busy: the next use is after it.
    private var busyUntil: Int64 = 0
    /// When the copy comes to be the device; nil where there is none.
    private var restoring: Int64?

    init(_ traits: DeviceTraits, of population: Population) {
        self.traits = traits
        shares = population.shares
        period = population.period
        calendar = population.calendar
        keepsDistance = traits.clock.isCorrected
        random = SeededRandom(seed: SeededRandom.mix(traits.seed, 1))
        // Where clocks are ahead of UTC a day begins before the period's, where they are behind later.
        day = max(period.firstDay - 1, traits.installDay)
    }

    /// What happens on the next day on which something does, in order; nil when nothing does any more.
    mutating func next() -> [TimedAction]? {
        while !hasLeft, day <= period.firstDay + Int64(period.days) {
            let actions = plan(day)
            day += 1
            if !actions.isEmpty { return actions }
        }
        return nil
    }

    private mutating func plan(_ day: Int64) -> [TimedAction] {
        var actions: [TimedAction] = []
        let isFirst = day == traits.installDay
        let isOffline = random.chance(perMyriad: shares.offlineDays)
        if isFirst || random.chance(perMille: chanceOfUse(on: day)) {
            let count = 1 + random.below(traits.habit.sessions)
            // Hours first and in order: a device does one thing after the other.
            let starts = (0..<count).map { _ in moment(of: day) }.sorted()
            for start in starts where period.start <= start && start < period.end {
                use(from: start, isOffline: isOffline, &actions)
            }
            if !actions.isEmpty { endDay(&actions) }
        }
        hasLeft = random.chance(perMille: traits.habit.leaving)
        return actions
    }

    private mutating func endDay(_ actions: inout [TimedAction]) {
        used += 1
        if used == traits.copyOn {
            // The old device is used for another day or two.
            restoring = busyUntil + Int64(random.within(1...2)) * SimulationPeriod.day
            actions.append(TimedAction(time: busyUntil, action: .backUp))
        }
    }

    private func chanceOfUse(on day: Int64) -> Int {
        let age = Int(max(day - traits.installDay, 0))
        // New is interesting: half as much again at first, a tenth of that after two months.
        let novelty = 1_000 + 500 * 6 / (6 + age)
        // 1970-01-01 was a Thursday.
        let weekday = Self.weekdays[Int((day + 3) % 7)]
        return min(traits.habit.dailyUse * novelty / 1_000 * weekday / 100, 980)
    }

    private mutating func moment(of day: Int64) -> Int64 {
        traits.home.moment(day: day, hour: random.index(in: Self.hours))
            + Int64(random.below(3_600_000))
    }

    /// One use of the app, with the times that its user comes back at once.
    private mutating func use(
        from wish: Int64, isOffline: Bool, _ actions: inout [TimedAction]
    ) {
        var start = max(wish, busyUntil + 60_000)
        if let moment = restoring, moment <= start {
            restoring = nil
            actions.append(TimedAction(time: start - 30_000, action: .restore))
        }
        let sky = sky(isOffline: isOffline)
        actions.append(TimedAction(time: start - 1_000, action: .network(sky)))
        var isLaunch = random.chance(perMille: Chance.ended)
        var isNew = true
        while true {
            let end = stretch(from: start, isLaunch: isLaunch, isNew: isNew, &actions)
            busyUntil = end
            guard random.chance(perMille: Chance.resume) else { return }
            (isLaunch, isNew) = (false, false)
            // Some pauses are longer than the session's timeout of half an hour, none is as long.
            var pause =
                Int64(random.within(5_000...300_000)) * (random.chance(perMille: 150) ? 10 : 1)
            if (1_780_000...1_820_000).contains(pause) { pause += 60_000 }
            start = busyUntil + pause
        }
    }

    private mutating func sky(isOffline: Bool) -> Weather.Sky {
        let draw = random.below(1_000)
        if isOffline || draw < Chance.offline { return .offline }
        return draw < Chance.offline + Chance.weak ? .weak : .clear
    }

    /// The app in the foreground, once.
    ///
    /// - Returns: when it is over.
    private mutating func stretch(
        from start: Int64, isLaunch: Bool, isNew: Bool, _ actions: inout [TimedAction]
    ) -> Int64 {
        let times = EventTimes(
            start: start, length: length(isNew: isNew), keepsDistance: keepsDistance)
        actions.append(TimedAction(time: times.now, action: .open(isLaunch: isLaunch)))
        if let setOn = traits.clock.setOn, used == setOn, isNew {
            let action = Action.setClock(error: traits.clock.errorAfter)
            actions.append(TimedAction(time: times.now + 50, action: action))
        }
        let release = traits.release(on: start / SimulationPeriod.day, calendar)
        let seed = random.next()
        var script = SessionScript(
            times, random: SeededRandom(seed: seed),
            loads: LoadTimes(seed: seed, platform: traits.platform, release: release))
        script.play(isNew: isNew)
        actions += script.actions
        let isKilled = random.chance(perMyriad: shares.kills)
        actions.append(TimedAction(time: times.end, action: isKilled ? .kill : .close))
        guard !isKilled, random.chance(perMille: Chance.push) else { return times.end }
        let moment = EventTimes.settled(times.end + 3_500, keepsDistance)
        actions.append(TimedAction(time: moment, action: .say(Said("push.received", isOwn: true))))
        return moment
    }

    /// Milliseconds of use in one go: many short ones, few long ones.
    private mutating func length(isNew: Bool) -> Int64 {
        let skew = (random.below(1_000) + 1) * (random.below(1_000) + 1) / 1_000
        let seconds = (isNew ? 15 : 8) + skew * (isNew ? 720 : 300) / 1_000
        return Int64(seconds * traits.platform.engagement / 100) * 1_000
            + Int64(random.below(1_000))
    }
}
