import FuzzSupport
import HTTP1

/// Drives a machine as a server does, without sockets, and holds it to its promises at each step.
final class Driver {
    var machine: ConnectionMachine
    /// What happened, but for what may depend on how octets arrive: an interim answer is not sent
    /// to a client that has begun its body.
    private(set) var log: [String] = []
    /// All octets, if they come in one piece: then each message is read once more in another way.
    var original: [UInt8]?
    private let choices: Choices
    private var window: [UInt8] = []
    private var passed = 0
    private var isAwaited = false
    private var isLast = false
    private var isClosed = false
    private var requests = 0
    private var answers = 0
    private var interimFor: UInt32?
    private var isInBody = false
    var now: Int64 = 0

    init(_ choices: Choices) {
        self.choices = choices
        machine = ConnectionMachine(limits: choices.limits, timeouts: Timeouts(), now: 0)
    }

    func feed(_ piece: ArraySlice<UInt8>) {
        if isAwaited { answer(200) }
        if isClosed { return }
        window += piece
        work()
    }

    /// The client sends nothing more: whatever is open comes to its end.
    func end() {
        while isAwaited { answer(200) }
        guard !isClosed else { return }
        apply(machine.peerEnded())
        while isAwaited { answer(200) }
        if !isClosed { apply(machine.expire(now: .max - 1)) }
        expect(isClosed, "a connection that its client has left stays open")
    }

    /// The answer to the request at hand.
    func answer(_ status: Int, closes: Bool = false, streams: Bool = false) {
        isAwaited = false
        isInBody = false
        guard let form = machine.answer(closes: closes, streams: streams, now: now) else {
            return expect(false, "an answer that is awaited is not taken")
        }
        answers += 1
        expect(answers <= requests, "more answers than requests")
        expect(
            machine.answer(closes: false, streams: false, now: now) == nil,
            "a second answer to one request is taken")
        log.append("\(status) \(form.keepsAlive ? "keeps" : "closes") \(form.isHeaderOnly)")
        if !form.keepsAlive { isLast = true }
        if machine.isStreaming { machine.streamEnded(now: now) }
        written()
        if !isClosed { work() }
    }

    /// All that was said has been written.
    func written() {
        switch machine.wrote(1, pending: 0, now: now) {
        case .resume: break
        case .close: close()
        case .linger:
            log.append("linger")
            machine.linger(now: now)
        }
    }

    func apply(_ action: ConnectionMachine.Action) {
        switch action {
        case .refuse(let refusal): refuse(refusal)
        case .close: close()
        case .wait: break
        default: expect(false, "\(action) without octets")
        }
    }

    private func close() {
        isClosed = true
        log.append("close")
    }

    private func refuse(_ refusal: RequestRefusal) {
        expect(!isLast, "something is refused behind the last answer")
        if !isInBody { requests += 1 }
        log.append("refuse \(refusal)")
        answer(refusal.status)
    }

    private func work() {
        var steps = 0
        while !isClosed, !isAwaited {
            steps += 1
            expect(steps <= 4 * window.count + 64, "no end is in sight")
            var span = window.mutableSpan
            let action = machine.advance(&span, now: now)
            switch action {
            case .read(let keep):
                expect((0...window.count).contains(keep), "more is kept than there is")
                expect(
                    keep <= choices.headBound + choices.bodyLimit,
                    "\(keep) octets are kept, more than the limits allow")
                // Elsewhere than in a chunked body all that is taken is kept.
                drop(window.count - keep, keeping: keep)
                return
            case .drop(let count):
                expect((1...max(1, window.count)).contains(count), "\(count) octets are dropped")
                drop(count)
            case .admit: admit()
            case .sendContinue:
                expect(machine.head.expectsContinue, "an interim answer that nobody awaits")
                expect(interimFor != machine.sequence, "two interim answers to one request")
                interimFor = machine.sequence
            case .judgeOpening:
                expect(false, "an opening that nobody asked for")
                return
            case .handle(let body, let end): handle(body, end)
            case .refuse(let refusal):
                refuse(refusal)
                return
            case .wait:
                expect(machine.awaitsAnswer || machine.isEnding, "waits for nothing")
                return
            case .close: close()
            }
        }
    }

    private func drop(_ count: Int, keeping keep: Int = 0) {
        passed += count
        window = keep > 0 ? Array(window[..<keep]) : Array(window[min(count, window.count)...])
    }

    private func admit() {
        expect(!isLast, "a request is taken behind the last answer")
        requests += 1
        isInBody = true
        log.append(HeadPromises.describe(machine.head, window, choices))
        if choices.answersEarly {
            answer(404)
        } else {
            machine.readBody(limit: choices.bodyLimit)
        }
    }

    private func handle(_ body: Range<Int>, _ end: Int) {
        expect(
            body.lowerBound == machine.head.end && body.upperBound <= end && end <= window.count,
            "a body at \(body) of a message of \(end) octets")
        expect(body.count <= choices.bodyLimit, "a body of \(body.count) octets")
        if let original {
            PlainReading.expect(
                Array(window[body]), endsAt: end, of: original[passed...], machine.head)
        }
        log.append("body \(window[body])")
        drop(end)
        isAwaited = true
        if !choices.answersLater { answer(200) }
    }
}
