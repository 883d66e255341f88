import Client
import Curl
import Truth

/// Lets a share of the devices live, as many of them at once as it has connections: one that has posted waits
/// for its answer while others go on. Used by one thread.
final class Worker {
    /// Devices that are woken between two looks at the network.
    private static let wakenAtOnce = 256

    private let run: SimulationRun
    private let board: Board
    private let rate: RateLimit?
    private let capacity: Int
    private let multi: HTTPMulti<Parcel>
    /// Devices that live.
    private var living = 0
    /// Whether anything was answered: libcurl looks a name up in a thread for each request until then.
    private var isWarm = false
    /// What is to be posted later, the next at the end.
    private var waiting: [Parcel] = []
    /// What devices had to tell, apart from those with a shared id.
    private(set) var truth: Truth?

    /// - Parameter capacity: Connections at once.
    init(
        _ run: SimulationRun, _ board: Board, _ rate: RateLimit?, capacity: Int
    ) throws(SimulationFailure) {
        self.run = run
        self.board = board
        self.rate = rate
        self.capacity = capacity
        truth = run.truth.map { Truth($0) }
        do throws(HTTPFailure) {
            var limits = HTTPClient.AnswerLimits()
            limits.bodyLimit = Answer.maxLength
            multi = try HTTPMulti(run.address, limits: limits, connections: capacity)
        } catch {
            throw SimulationFailure(reason: error.description, kind: .unavailable)
        }
    }

    /// Returns when no device is left, or another worker has failed.
    func work() throws(SimulationFailure) {
        while !board.hasFailed {
            var woken = 0
            let capacity = isWarm ? capacity : 1
            while living < capacity, woken < Self.wakenAtOnce, let number = board.nextDevice() {
                living += 1
                woken += 1
                try live(
                    SimulatedDevice(number, of: run.population, hasAccount: run.truth != nil))
            }
            guard living > 0 else { return }
            try postWhatIsDue()
            for outcome in try outcomes(woken > 0 ? 0 : idleTime()) { try take(outcome) }
        }
    }

    private func outcomes(
        _ milliseconds: Int
    ) throws(SimulationFailure) -> [HTTPMulti<Parcel>.Outcome] {
        do throws(HTTPFailure) {
            return try multi.wait(milliseconds)
        } catch {
            throw SimulationFailure(reason: error.description, kind: .unavailable)
        }
    }

    /// Milliseconds until something is to be done that the network does not bring.
    private func idleTime() -> Int {
        guard let next = waiting.last?.due else { return 100 }
        return Int(min(max(next - run.pace.elapsed(), 0), 100))
    }

    private func live(_ device: SimulatedDevice) throws(SimulationFailure) {
        let before = device.now
        if let post = try device.live() {
            board.note(lived: device.now - before) { _ in }
            let now = run.pace.elapsed()
            let due = rate?.reserve(post.isRepeat ? 0 : post.events, at: now) ?? now
            let isFirst = before == run.population.period.start
            return try enqueue(Parcel(device: device, post: post, isFirst: isFirst, due: due))
        }
        living -= 1
        board.note(lived: run.population.period.end - before) { _ in }
        guard let told = device.account?.told else { return }
        if told.isShared { board.addShared(told) } else { truth?.add(told) }
    }

    // MARK: A batch

    private func enqueue(_ parcel: Parcel) throws(SimulationFailure) {
        guard parcel.due > run.pace.elapsed() else { return try post(parcel) }
        let index = waiting.lastIndex { $0.due > parcel.due } ?? -1
        waiting.insert(parcel, at: index + 1)
    }

    private func postWhatIsDue() throws(SimulationFailure) {
        let now = run.pace.elapsed()
        while let parcel = waiting.last, parcel.due <= now {
            waiting.removeLast()
            try post(parcel)
        }
    }

    private func post(_ parcel: Parcel) throws(SimulationFailure) {
        var parcel = parcel
        parcel.deadline = parcel.deadline ?? run.pace.elapsed() + run.patience
        parcel.posted = run.pace.now()
        parcel.firstPosted = parcel.firstPosted ?? parcel.posted
        let request = run.sealer.request(for: parcel.post.stamped(parcel.posted))
        do throws(HTTPFailure) {
            try multi.begin(request, tag: parcel, isFresh: parcel.isFirst)
        } catch {
            throw SimulationFailure(reason: error.description, kind: .unavailable)
        }
    }

    private func take(_ outcome: HTTPMulti<Parcel>.Outcome) throws(SimulationFailure) {
        let parcel = outcome.tag
        let response: Reply.Response
        switch outcome.result {
        case .success(let answer): response = answer.response
        case .failure(let failure):
            var parcel = parcel
            // Nothing has left where there was no connection.
            if failure.kind != .unreachable { parcel.unknown += 1 }
            return try retry(parcel, .missing(failure), asked: nil)
        }
        let answer = Answer.judge(
            response, expecting: .id(parcel.post.batchID), isDryRun: false)
        switch answer {
        case .stored(let receipt): try stored(parcel, response, receipt)
        case .unusable: try retry(parcel, answer, asked: nil)
        case .refused(let refusal):
            switch refusal.code.treatment {
            case .retry, .retrySmaller:
                try retry(parcel, answer, asked: response.asked(at: run.pace.now()))
            case .drop, .hold, .split: throw failure(answer, .refused)
            }
        }
    }

    private func stored(
        _ parcel: Parcel, _ response: Reply.Response, _ receipt: Answer.Receipt
    ) throws(SimulationFailure) {
        guard receipt.accepted >= 0, receipt.rejected >= 0,
            receipt.accepted &+ receipt.rejected == Int64(parcel.post.events)
        else {
            throw SimulationFailure(
                reason: "\(run.address.origin) counts other events than were sent",
                kind: .refused)
        }
        isWarm = true
        try parcel.device.account?.stored(
            parcel.post, Receipt(parcel, isRepeat: receipt.isDuplicate), run.rules)
        let isSlow =
            ServerRules.corrects(parcel.post.error)
            && run.pace.now() - parcel.posted > TruthScope.slack
        board.note(lived: 0) {
            $0.answers += 1
            $0.events += receipt.isDuplicate ? 0 : parcel.post.events
            $0.repeats += receipt.isDuplicate ? 1 : 0
            $0.rejected &+= receipt.rejected
            $0.slow += isSlow ? 1 : 0
        }
        parcel.device.answered(response)
        try live(parcel.device)
    }

    /// The device waits for it: what really fails is not part of its life.
    private func retry(
        _ parcel: Parcel, _ answer: Answer, asked: Int64?
    ) throws(SimulationFailure) {
        var parcel = parcel
        parcel.failures += 1
        let wait = run.backoff.wait(
            afterFailures: parcel.failures, isHold: false, asked: asked, draw: run.pace.draw())
        parcel.due = run.pace.elapsed() + wait
        guard let deadline = parcel.deadline, parcel.due <= deadline else {
            throw failure(answer, .unavailable)
        }
        board.note(lived: 0) { $0.retries += 1 }
        run.waiting("\(run.address.origin) \(answer.complaint)")
        try enqueue(parcel)
    }

    private func failure(_ answer: Answer, _ kind: SimulationFailure.Kind) -> SimulationFailure {
        SimulationFailure(reason: "\(run.address.origin) \(answer.complaint)", kind: kind)
    }
}

extension Receipt {
    fileprivate init(_ parcel: Parcel, isRepeat: Bool) {
        self.init(
            first: parcel.firstPosted ?? parcel.posted, last: parcel.posted,
            unknown: parcel.unknown, isRepeat: isRepeat)
    }
}

/// A batch that a worker has to get to the server.
struct Parcel {
    let device: SimulatedDevice
    let post: Post
    /// Whether it is the device's first: a phone has a connection of its own.
    let isFirst: Bool
    /// Attempts that have failed.
    var failures: Int64 = 0
    /// When it may be tried, on the clock that is never set, ms.
    var due: Int64
    /// When it is given up, on the same clock; nil before the first attempt.
    var deadline: Int64?
    /// The real moments of the first and the latest attempt, ms.
    var firstPosted: Int64?
    var posted: Int64 = 0
    /// Attempts of which nobody knows whether they arrived.
    var unknown = 0
}
