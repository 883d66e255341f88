import Dispatch
import Ingest
import Storage
import Synchronization

/// Judges the bodies that would hold an event loop up: those that inflate to more than a loop takes on
/// itself, or take long to be opened. Workers on queues of their own, one a core, and one for short bodies
/// alone, which are not kept waiting by long ones (docs/operation.md, Limits and timeouts).
final class BodyJudges: Sendable {
    /// Bytes of JSON up to which a loop judges a body itself: within a third of a millisecond or so, and
    /// within some two of the worst that 64 KiB can be made to hold (fractions of 17 digits; 256 KiB
    /// of them took nine).
    static let inlineBytes = 64 << 10
    /// Elements of a body up to which it does: of whatever kind, they take some two milliseconds.
    static let inlineElements = 16_384

    /// Bytes of JSON up to which a body is a short one: within some 15 milliseconds at the worst.
    static let shortBytes = 256 << 10
    /// Bytes of a compressed body up to which it is: inflated within some 20 milliseconds, however little it holds.
    static let shortPackedBytes = 64 << 10

    /// Short bodies that may wait for each core, and as many long ones. The worst take some 50 ms each
    /// to be refused: what waits is answered within three seconds or so, and later ones are rejected
    /// at once.
    static let maxWaiting = 64

    private final class Judge: @unchecked Sendable {
        let queue: DispatchQueue
        /// Used on that queue alone.
        let worker: IngestWorker
        let takesLong: Bool

        init(number: Int, worker: IngestWorker, takesLong: Bool) {
            queue = DispatchQueue(label: "sojourn.judge.\(number)")
            self.worker = worker
            self.takesLong = takesLong
        }
    }

    /// What a judge has; nil where others need the room in which something waited for one.
    typealias Place = (worker: IngestWorker, keys: AccessList)

    private struct Waiting: Sendable {
        let work: @Sendable (Place?) -> Void
    }

    private struct State {
        /// By app.
        var short = Turns<Int64, Waiting>()
        var long = Turns<Int64, Waiting>()
        var idle: [Judge]

        /// One that may take such a body; for a short one that which takes no others, if it is idle.
        mutating func popIdle(forLong isLong: Bool) -> Judge? {
            let index = idle.firstIndex { $0.takesLong == isLong }
            return index.map { idle.remove(at: $0) } ?? (isLong ? nil : idle.popLast())
        }
    }

    private let state: Mutex<State>
    private let limit: Int
    private let keys: KeysInForce
    private let rateLimiter: RateLimiter?

    /// - Parameter count: how many long bodies may be judged at once
    init(
        count: Int, limits: IngestLimits, pepper: [UInt8], keys: KeysInForce,
        rateLimiter: RateLimiter?
    ) {
        let count = max(1, count)
        let short = limits.atMost(inflatedBytes: Self.shortBytes, elements: .max)
        let judges = (0...count).map { number in
            let takesLong = number > 0
            let worker = IngestWorker(limits: takesLong ? limits : short, pepper: pepper)
            return Judge(number: number, worker: worker, takesLong: takesLong)
        }
        limit = count * Self.maxWaiting
        self.keys = keys
        self.rateLimiter = rateLimiter
        state = Mutex(State(idle: judges))
    }

    /// Bodies are judged app by app in turn. Whether one is long may be found out only when it is opened.
    /// - Parameter then: called once, on a judge's queue or, where others need the room in which the body
    ///   waited, with nil on whatever thread brings one
    /// - Returns: false where too many wait already; `then` is never called then
    func judge(_ body: WholeBody, then: @escaping @Sendable (Judgement?) -> Void) -> Bool {
        let shortBytes = body.mayBePacked ? Self.shortPackedBytes : Self.shortBytes
        return judge(body, isLong: body.count > shortBytes, then: then)
    }

    private func judge(
        _ body: WholeBody, isLong: Bool, then: @escaping @Sendable (Judgement?) -> Void
    ) -> Bool {
        add(of: body.app, isLong: isLong, limit: limit) { [self] place in
            let judgement = place.map { body.judged(by: $0.worker, $0.keys, rateLimiter) }
            guard !isLong, judgement?.isTooMuchHere == true else { return then(judgement) }
            if !judge(body, isLong: true, then: then) { then(nil) }
        }
    }

    /// Goes on with a body of an app that was judged in part: it has had its place.
    /// - Parameter work: called once, on a judge's queue or, where others need the room, with nil
    func resume(of app: Int64, isLong: Bool, _ work: @escaping @Sendable (Place?) -> Void) {
        _ = add(of: app, isLong: isLong, limit: .max, work)
    }

    private func add(
        of app: Int64, isLong: Bool, limit: Int, _ work: @escaping @Sendable (Place?) -> Void
    ) -> Bool {
        var displaced: Waiting?
        var judge: Judge?
        let isTaken = state.withLock { state in
            let line = isLong ? \State.long : \State.short
            switch state[keyPath: line].makeRoom(for: app, limit: limit) {
            case .free: break
            case .insteadOf(let last): displaced = last
            case .none: return false
            }
            state[keyPath: line].append(Waiting(work: work), of: app)
            judge = state.popIdle(forLong: isLong)
            return true
        }
        displaced?.work(nil)
        if let judge { judge.queue.async { self.work(judge) } }
        return isTaken
    }

    /// Until nothing waits that it may take.
    private func work(_ judge: Judge) {
        while let waiting = next(for: judge) {
            waiting.work((judge.worker, keys.directory))
        }
    }

    private func next(for judge: Judge) -> Waiting? {
        state.withLock { state in
            if judge.takesLong, let waiting = state.long.next() { return waiting }
            let waiting = state.short.next()
            if waiting == nil { state.idle.append(judge) }
            return waiting
        }
    }
}
