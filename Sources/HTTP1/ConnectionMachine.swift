/// One connection of a server as a pure value: bytes and readings of a monotonic clock in, what to
/// do out. It has no socket and no clock of its own; moments are nanoseconds.
///
/// The driver keeps a *window*: the bytes that have arrived, from the current message's first on. It
/// calls `advance` until that asks it to read or to wait, and does what each action asks for:
/// requests are taken one at a time, the next one only when the last has its answer, so answers
/// leave in order. Deadlines are set when something begins and moved by nothing that drips.
package struct ConnectionMachine: ~Copyable {
    /// What the driver has to do next.
    package enum Action: Equatable, Sendable {
        /// More bytes are needed, after the first `keep` of the window (others are done with).
        case read(keep: Int)
        /// Remove this many bytes from the window's front, then advance again.
        case drop(Int)
        /// `head` is complete: ask the handler, then `readBody(limit:)` or `answer`.
        case admit
        /// Queue the interim answer 100, then advance again, or wait for the answer as before.
        case sendContinue
        /// The request is whole: hand it on, then take `end` bytes from the window's front. Its
        /// answer is given to `answer`, now or later.
        case handle(body: Range<Int>, end: Int)
        /// As much of the body is there as was to be judged beforehand: `readOn` or `answer`. What stands
        /// after that range in the window is done with.
        case judgeOpening(body: Range<Int>)
        /// Render the refusal and give it to `answer`.
        case refuse(RequestRefusal)
        /// An answer is awaited or being written: read nothing.
        case wait
        /// The connection is over; close it.
        case close
    }

    enum Phase: Equatable {
        case idle, head, admitting, bodyStart, body, opening, handling, streaming
        /// A refusal was asked for; `knowsBounds` if the message's end is known.
        case refusing(knowsBounds: Bool)
        /// The answer has been given, the rest of the body is read and dropped.
        case discarding(Int)
        /// The last answer has been given; `unread` if the client may still be sending.
        case closing(unread: Bool)
        case lingering(Int)
        case closed
    }

    /// No deadline.
    package static let never = Int64.max
    /// How much of a streamed answer has to be written in one write timeout.
    package static let streamStride = 64 << 10

    let limits: RequestLimits
    let timeouts: Timeouts
    package internal(set) var parser = HeadParser()
    var phase = Phase.idle
    var phaseDeadline: Int64
    var writeDeadline = ConnectionMachine.never
    var writtenInStride = 0
    /// The end of what is kept of the message: head and body so far.
    var kept = 0
    var bodyLimit = 0
    /// Bytes of body that are to be judged once they are there; `Int.max` for none.
    var openingBytes = Int.max
    /// The handler has asked for no body.
    var skipsBody = false
    /// What of a body that nobody asked for is still to come, and whether that is too much to be read.
    var unreadRest = (rest: 0, isTooMuch: false)
    /// The next request is refused: what had come of it has been given up.
    var refusesNext = false
    var chunks: ChunkDecoder?
    var pendingDrop = 0
    /// The last answer came before the request was read to its end.
    var leavesUnread = false
    var form = AnswerForm(version: .http11, isHeaderOnly: false, keepsAlive: false)
    var peerHasEnded = false
    var isStopping = false
    /// Counts requests, so that a late second answer is not taken for the next request's.
    package internal(set) var sequence: UInt32 = 0
    /// When the current request's first byte came, which may be long before it was looked at.
    package internal(set) var begunAt: Int64

    package init(limits: RequestLimits, timeouts: Timeouts, now: Int64) {
        self.limits = limits
        self.timeouts = timeouts
        self.begunAt = now
        self.phaseDeadline = now &+ timeouts.idle
    }

    /// The current request's head, from `admit` until its answer. On the hot way it is read where it is
    /// stored, as `parser.head`: an accessor of another room allocates each time.
    package var head: RequestHead {
        _read { yield parser.head }
    }

    /// The moment when `expire` has to be called, `never` for none.
    package var deadline: Int64 {
        // Between requests the idle time begins when the last answer is out.
        phase == .idle && writeDeadline != Self.never
            ? writeDeadline : min(phaseDeadline, writeDeadline)
    }

    /// `true` if bytes of the client are of use now.
    package var wantsInput: Bool {
        switch phase {
        case .idle, .head, .bodyStart, .body, .discarding:
            writeDeadline == Self.never && !peerHasEnded
        case .lingering: true
        default: false
        }
    }

    /// `true` while a handler has the request and has not answered.
    package var awaitsAnswer: Bool { phase == .handling }
    /// `true` while a streamed answer is under way.
    package var isStreaming: Bool { phase == .streaming }
    /// `true` once the last answer has been given.
    package var isEnding: Bool {
        switch phase {
        case .closing, .lingering, .closed: true
        default: false
        }
    }

    /// Looks at the window and returns what the driver has to do.
    /// - Parameter arrivedAt: when those bytes of the window came that it has not been shown before; nil: now
    package mutating func advance(
        _ window: inout MutableSpan<UInt8>, now: Int64, arrivedAt: Int64? = nil
    ) -> Action {
        if pendingDrop > 0 {
            defer { pendingDrop = 0 }
            return .drop(pendingDrop)
        }
        switch phase {
        case .idle where refusesNext, .discarding where refusesNext: return refuseNext(now)
        case .idle, .head:
            return advanceHead(window.span, now: now, arrivedAt: arrivedAt ?? now)
        case .bodyStart: return startBody(&window)
        case .body: return advanceBody(&window)
        case .discarding(let remaining):
            let count = min(remaining, window.count)
            if count == remaining {
                becomeIdle(now)
            } else {
                phase = .discarding(remaining - count)
            }
            return count > 0 ? .drop(count) : .read(keep: 0)
        case .lingering(let left):
            if window.count >= left {
                phase = .closed
                return .close
            }
            phase = .lingering(left - window.count)
            return .read(keep: 0)
        case .admitting, .opening, .handling, .streaming, .refusing, .closing: return .wait
        case .closed: return .close
        }
    }

    private mutating func advanceHead(
        _ bytes: Span<UInt8>, now: Int64, arrivedAt: Int64
    ) -> Action {
        let step = parser.parse(bytes, limits: limits)
        if phase == .idle, parser.hasBegun || step != .more {
            phase = .head
            begunAt = arrivedAt
            // The client could not send on while it was not read.
            phaseDeadline = now &+ timeouts.header
        }
        switch step {
        case .more:
            if !isStopping { return .read(keep: bytes.count) }
            if phase == .idle {
                phase = .closed
                return .close
            }
            return refuse(.shuttingDown)
        case .refused(let refusal):
            let isWhole = parser.head.end > 0
            if isWhole { beginMessage(now) }
            return refuse(refusal, knowsBounds: isWhole && refusal.leavesFramingIntact)
        case .done:
            beginMessage(now)
            // CONNECT makes the bytes that follow mean something else: never guess, close.
            if head.method == .connect { return refuse(.unknownMethod) }
            if head.method == .unknown { return refuse(.unknownMethod, knowsBounds: true) }
            phase = .admitting
            return .admit
        }
    }

    private mutating func refuseNext(_ now: Int64) -> Action {
        refusesNext = false
        phase = .head
        begunAt = now
        return refuse(.noRoom)
    }

    private mutating func beginMessage(_ now: Int64) {
        sequence &+= 1
        kept = head.end
        form = formOfHead
        phaseDeadline = now &+ timeouts.body
    }

    /// As much as is known of it, of a head that is not complete.
    private var formOfHead: AnswerForm {
        AnswerForm(
            version: parser.head.version, isHeaderOnly: parser.head.method == .head,
            keepsAlive: parser.head.keepsAlive)
    }

    mutating func refuse(_ refusal: RequestRefusal, knowsBounds: Bool = false) -> Action {
        if phase == .head { form = formOfHead }
        phase = .refusing(knowsBounds: knowsBounds)
        phaseDeadline = Self.never
        return .refuse(refusal)
    }

    mutating func becomeIdle(_ now: Int64) {
        phase = .idle
        phaseDeadline = now &+ timeouts.idle
    }
}
