import HTTP1

/// Drives a machine as a server would, without sockets: what happened is kept as words.
final class Rig {
    var machine: ConnectionMachine
    private(set) var log: [String] = []
    private var window: [UInt8] = []
    /// What to do with a head: read a body of so many octets, or answer at once.
    var bodyLimit: Int? = 1000
    /// How many octets of body are to be judged beforehand, one piece after the other.
    var openings: [Int] = []
    /// What to answer when the last of these is there; nil to read on.
    var openingAnswer: Int?
    /// Hand a request on without its body.
    var skipsBody = false
    /// Whether an answer at once is streamed.
    var streamsEarly = false
    /// Whether `handle` answers before it returns.
    var answersInline = true
    /// Whether the client reads no answer until `write`.
    var isStuck = false
    private var hasUnseen = false
    private var isWriting = false
    private var openingsLeft: ArraySlice<Int> = []

    init(limits: RequestLimits = RequestLimits(), timeouts: Timeouts = Timeouts(), now: Int64 = 0) {
        machine = ConnectionMachine(limits: limits, timeouts: timeouts, now: now)
    }

    var deadline: Int64 { machine.deadline }
    var wantsInput: Bool { machine.wantsInput }
    var isStreaming: Bool { machine.isStreaming }
    var sequence: UInt32 { machine.sequence }

    /// What has happened since the last time this was asked for.
    func events() -> [String] {
        defer { log = [] }
        return log
    }

    func feed(_ text: String, now: Int64 = 0) { feed(Array(text.utf8), now: now) }

    func feed(_ octets: [UInt8], now: Int64 = 0) {
        window += octets
        work(now: now)
    }

    /// Gives up what has come and was not needed yet.
    func forget() { window = [] }

    /// The answer to the request that is being handled.
    func answer(_ status: Int = 200, closes: Bool = false, streams: Bool = false, now: Int64 = 0) {
        guard let form = machine.answer(closes: closes, streams: streams, now: now) else {
            log.append("late \(status)")
            return
        }
        log.append(
            "\(status)" + (form.keepsAlive ? "" : " close") + (form.isHeaderOnly ? " head" : ""))
        if isStuck {
            isWriting = true
            _ = machine.wrote(0, pending: 1, now: now)
        } else {
            write(now: now)
        }
        if hasUnseen { work(now: now) }
    }

    /// All that was said has been written.
    func write(now: Int64 = 0) {
        isStuck = false
        isWriting = false
        switch machine.wrote(1, pending: 0, now: now) {
        case .resume: break
        case .close: log.append("close")
        case .linger:
            log.append("linger")
            machine.linger(now: now)
        }
    }

    /// Does what follows from an action that came from outside the window.
    func apply(_ action: ConnectionMachine.Action, now: Int64 = 0) {
        switch action {
        case .refuse(let refusal):
            log.append("refuse \(refusal)")
            answer(refusal.status, now: now)
        case .close: log.append("close")
        default: log.append("\(action)")
        }
    }

    func work(now: Int64) {
        hasUnseen = false
        while true {
            if isWriting, !machine.isEnding { return }
            var span = window.mutableSpan
            let action = machine.advance(&span, now: now)
            switch action {
            case .read(let keep):
                window = Array(window[..<keep])
                return
            case .drop(let count):
                guard count <= window.count else {
                    log.append("drop \(count) of \(window.count)")
                    return
                }
                window.removeFirst(count)
            case .admit:
                if skipsBody {
                    machine.skipBody()
                } else if let bodyLimit {
                    machine.readBody(limit: bodyLimit, openingBytes: openings.first)
                    openingsLeft = openings[...].dropFirst()
                } else {
                    answer(404, streams: streamsEarly, now: now)
                }
            case .judgeOpening(let body):
                log.append("opening \(String(decoding: window[body], as: UTF8.self))")
                window = Array(window[..<body.upperBound])
                guard let next = openingsLeft.popFirst() else {
                    if let openingAnswer {
                        answer(openingAnswer, now: now)
                        continue
                    }
                    machine.readOn()
                    return
                }
                machine.readOn(openingBytes: max(next, body.count + 1))
                return
            case .sendContinue: log.append("100")
            case .handle(let body, let end):
                log.append(
                    "\(machine.head.method) \(String(decoding: window[body], as: UTF8.self))")
                window.removeFirst(end)
                if answersInline { answer(now: now) }
            case .refuse: apply(action, now: now)
            case .wait:
                hasUnseen = true
                return
            case .close:
                log.append("close")
                return
            }
        }
    }
}
