import Client

/// A simulated device: its user's actions, its client with its journal in memory, its clocks, its network.
/// Time is simulated; it stands still while a batch is really on its way to the server.
final class SimulatedDevice {
    let traits: DeviceTraits
    /// The account of what was meant; nil where nobody wants it.
    let account: Account?
    private let population: Population
    private var life: Life
    private var weather: Weather
    private var draws: SeededRandom
    private var limits = Limits()
    private var folder = MemoryFolder()
    private var backup: (folder: MemoryFolder, account: Account.Copy?)?
    private var process: AppProcess?
    private var isCopy = false
    /// By how much the clock is ahead, ms.
    private var error: Int64
    /// The simulated moment, ms.
    private(set) var now: Int64
    /// What happens next, in order; the next at the end.
    private var actions: [TimedAction] = []
    /// What the network brings, and when; of an attempt of this process.
    private var arrival: (time: Int64, attempt: Int, reply: Reply)?
    /// The batch that is really on its way.
    private var way: (attempt: Int, delay: Int64, isAnswerLost: Bool)?
    /// How often in a row the client was woken late.
    private var lateWakes = 0
    private static let maxLateWakes = 1_000
    /// Batches that have arrived.
    private var arrived: Set<String> = []

    init(_ number: Int, of population: Population, hasAccount: Bool) {
        self.population = population
        traits = population.traits(of: number)
        life = Life(traits, of: population)
        weather = Weather(population.shares, seed: SeededRandom.mix(traits.seed, 3))
        draws = SeededRandom(seed: SeededRandom.mix(traits.seed, 4))
        error = traits.clock.error
        now = population.period.start
        limits.journal = traits.journalLimit
        account = hasAccount ? Account(traits) : nil
    }

    /// Lives on until a batch is really to be posted, and says which; nil when the period is over.
    ///
    /// - Throws: `SimulationFailure` where the client does what it must not.
    func live() throws(SimulationFailure) -> Post? {
        while true {
            if let post = try takeRequest() { return post }
            guard try step() else {
                if let process { try account?.check(process.client.status) }
                return nil
            }
        }
    }

    /// What came of the batch that `live` gave last.
    func answered(_ response: Reply.Response) {
        guard let way else { return }
        self.way = nil
        arrival = (
            now + way.delay, way.attempt,
            way.isAnswerLost ? .failure("the answer is lost") : .answer(response)
        )
    }

    /// Does what is next; false when the period is over.
    private func step() throws(SimulationFailure) -> Bool {
        if actions.isEmpty, let day = life.next() { actions = day.reversed() }
        let action = actions.last?.time ?? .max
        let arrivalTime = arrival?.time ?? .max
        let alarm = process?.client.alarm ?? .max
        let next = min(action, arrivalTime, alarm)
        guard next < population.period.end else { return false }
        now = max(now, next)
        process?.client.phone.now = now
        if next == arrivalTime, let arrival {
            self.arrival = nil
            process?.client.posted(arrival.attempt, arrival.reply)
        } else if next == alarm {
            try wake(isLate: alarm < now)
        } else if let action = actions.popLast() {
            try perform(action.action)
        }
        return true
    }

    /// The request that the client has made, if it arrives; what the network does with others comes later.
    private func takeRequest() throws(SimulationFailure) -> Post? {
        guard let client = process?.client else { return nil }
        if let cancelled = client.phone.takeCancelled(), arrival?.attempt == cancelled {
            arrival = (now, cancelled, .failure("cancelled"))
        }
        guard let request = client.phone.takeRequest() else { return nil }
        guard arrival == nil, let frozen = client.frozen else {
            throw SimulationFailure(reason: "a client posts two batches at once", kind: .client)
        }
        switch weather.fate(hasArrived: arrived.contains(frozen.batchID)) {
        case .ends(let delay, let reply):
            arrival = (now + delay, request.attempt, reply)
            return nil
        case .arrives(let delay, let isAnswerLost):
            way = (request.attempt, delay, isAnswerLost)
            let isRepeat = !arrived.insert(frozen.batchID).inserted
            return Post(
                request.text, of: frozen, at: now, oldIdentity: traits.oldIdentity,
                isRepeat: isRepeat)
        }
    }

    /// - Parameter isLate: Whether it wanted to be woken before now: once it is, it must want no more.
    private func wake(isLate: Bool) throws(SimulationFailure) {
        lateWakes = isLate ? lateWakes + 1 : 0
        guard lateWakes < Self.maxLateWakes else {
            throw SimulationFailure(reason: "a client wakes without end", kind: .client)
        }
        process?.client.wake()
    }

    private func perform(_ action: Action) throws(SimulationFailure) {
        switch action {
        case .open(let isLaunch): try open(isLaunch: isLaunch)
        case .say(let said): try say(said)
        case .close:
            guard let process else { return }
            account?.close(at: now)
            process.client.close()
        case .kill: try kill()
        case .network(let sky): weather.sky = sky
        // A new device has a right clock, which nobody sets.
        case .setClock where isCopy: break
        case .setClock(let error):
            self.error = error
            process?.client.phone.error = error
            account?.setClock(error)
        case .backUp: backup = (folder.copy(), account?.copy())
        case .restore: try restore()
        }
    }

    private func open(isLaunch: Bool) throws(SimulationFailure) {
        let identity = AppIdentity(
            traits, on: now / SimulationPeriod.day, isCopy: isCopy, population.calendar)
        // An update ends the process, too.
        if isLaunch || process?.identity != identity { try kill() }
        let process = process ?? launch(identity)
        account?.open(at: now)
        process.client.open()
    }

    private func launch(_ identity: AppIdentity) -> AppProcess {
        var draws = SeededRandom(seed: self.draws.next())
        let phone = MemoryPhone(at: now, error: error, draw: { draws.next() })
        let process = AppProcess(identity, folder: folder, phone: phone, limits: limits)
        self.process = process
        account?.launch(identity)
        return process
    }

    private func say(_ said: Said) throws(SimulationFailure) {
        // The process was ended meanwhile.
        guard let process else { return }
        guard process.say(said) else {
            throw SimulationFailure(reason: "a client refuses \(said.name)", kind: .client)
        }
        account?.say(said, at: now)
    }

    private func kill() throws(SimulationFailure) {
        guard let process else { return }
        self.process = nil
        arrival = nil
        try account?.check(process.client.status)
        folder.release()
    }

    private func restore() throws(SimulationFailure) {
        guard let backup else { return }
        try kill()
        folder = backup.folder
        if let copy = backup.account { account?.restore(copy) }
        self.backup = nil
        isCopy = true
        // It is new: its clock is right.
        error = 0
    }
}
