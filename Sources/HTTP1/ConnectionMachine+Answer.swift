/// Answers, and the end of a connection.
extension ConnectionMachine {
    /// What the driver does after it has written something.
    package enum AfterWrite: Equatable, Sendable {
        /// Go on: write the rest when there is room, or advance.
        case resume
        /// The last answer is written; shut down the writing side and read on for a while (`linger`).
        case linger
        /// The last answer is written and nothing is left unread.
        case close
    }

    /// The current request has its answer.
    /// - Parameters:
    ///   - closes: the answer itself ends the connection.
    ///   - streams: the body follows piece by piece, until `streamEnded`.
    /// - Returns: how to encode it; `nil` if no answer is awaited.
    package mutating func answer(closes: Bool, streams: Bool, now: Int64) -> AnswerForm? {
        var rest = 0
        var isUnread = false
        switch phase {
        case .handling:
            (rest, isUnread) = unreadRest
            unreadRest = (0, false)
            // For that rest; nothing ran out while the answer was awaited.
            phaseDeadline = now &+ timeouts.body
        case .opening:
            pendingDrop = kept
            (rest, isUnread) = unreadBody()
        case .admitting, .refusing(knowsBounds: true):
            pendingDrop = head.end
            (rest, isUnread) = unreadBody()
        case .refusing(knowsBounds: false):
            isUnread = true
        default: return nil
        }
        var form = form
        if closes || isUnread || peerHasEnded || isStopping { form.keepsAlive = false }
        let isStreamed = streams && !form.isHeaderOnly
        // A body is dropped only after an answer that is whole; HTTP/1.0 ends it by closing.
        if isStreamed, rest > 0 || form.streamEnd == .connection { form.keepsAlive = false }
        self.form = form
        parser.reset()
        chunks = nil
        kept = 0
        if !form.keepsAlive {
            phaseDeadline = Self.never
            pendingDrop = 0
            leavesUnread = isUnread || rest > 0
            phase = isStreamed ? .streaming : .closing(unread: leavesUnread)
        } else if isStreamed {
            phaseDeadline = Self.never
            phase = .streaming
        } else if rest > 0 {
            phase = .discarding(rest)
        } else {
            becomeIdle(now)
        }
        return form
    }

    /// How much of the body is still to come, after an answer that came before it, and whether that
    /// is too much to be read just to keep the connection.
    func unreadBody() -> (rest: Int, isTooMuch: Bool) {
        switch head.body {
        case .none: (0, false)
        // A client that waits for 100 may send the body now or not at all (RFC 9110 §10.1.1).
        case .length(let length):
            if phase == .opening {
                (length - (kept - head.end), length - (kept - head.end) > limits.drainBytes)
            } else {
                (length, length > limits.drainBytes || head.expectsContinue)
            }
        case .chunked: (0, true)
        }
    }

    /// The last piece of a streamed answer has been queued.
    package mutating func streamEnded(now: Int64) {
        guard phase == .streaming else { return }
        if form.keepsAlive, !isStopping, !peerHasEnded {
            becomeIdle(now)
        } else {
            phase = .closing(unread: leavesUnread)
        }
    }

    /// `count` bytes were written and `pending` wait for room.
    package mutating func wrote(_ count: Int, pending: Int, now: Int64) -> AfterWrite {
        if pending > 0 {
            writtenInStride += count
            let isNewStride = phase == .streaming && writtenInStride >= Self.streamStride
            if writeDeadline == Self.never || isNewStride {
                writeDeadline = now &+ timeouts.write
                writtenInStride = 0
            }
            return .resume
        }
        writeDeadline = Self.never
        writtenInStride = 0
        switch phase {
        case .closing(let unread): return unread ? .linger : .close
        case .idle:
            phaseDeadline = now &+ timeouts.idle
            return isStopping ? .close : .resume
        default: return .resume
        }
    }

    /// The writing side is shut down; whatever still arrives is dropped, for a bounded while.
    package mutating func linger(now: Int64) {
        phase = .lingering(limits.lingerBytes)
        writeDeadline = Self.never
        // A server that stops does not wait long for others to hang up.
        phaseDeadline =
            now &+ (isStopping ? min(timeouts.linger, timeouts.lastLinger) : timeouts.linger)
    }

    /// The client will send nothing more (it may still read).
    package mutating func peerEnded() -> Action {
        peerHasEnded = true
        switch phase {
        case .idle:
            // What has been answered is still written.
            if writeDeadline != Self.never {
                phase = .closing(unread: false)
                phaseDeadline = Self.never
                return .wait
            }
        case .head, .bodyStart, .body: return refuse(.truncated)
        case .discarding where writeDeadline != Self.never:
            phase = .closing(unread: false)
            phaseDeadline = Self.never
            return .wait
        case .discarding, .lingering, .closed: break
        default: return .wait
        }
        phase = .closed
        return .close
    }

    /// The client has ended its sending: it is gone, or reads on. Where its answer takes long it is asked by an
    /// interim answer: who reads on passes over it (RFC 9110 §15.2.1), and the system of one that is gone resets the
    /// connection.
    package mutating func peerMayHaveGone(now: Int64) {
        guard phase == .handling, phaseDeadline == Self.never, form.version == .http11 else {
            return
        }
        phaseDeadline = now &+ timeouts.presence
    }

    /// A deadline may have passed: says what follows from it, `.wait` if nothing does.
    package mutating func expire(now: Int64) -> Action {
        guard now >= deadline else { return .wait }
        if now < writeDeadline {
            switch phase {
            case .head: return refuse(.headerTimeout)
            case .bodyStart, .body: return refuse(.bodyTimeout)
            case .handling:
                phaseDeadline = now &+ timeouts.presence
                return .sendContinue
            default: break
            }
        }
        phase = .closed
        return .close
    }

    /// There is no room for what the client sends: the request that is coming ends, or the next one if
    /// this one is whole or answered. What is in the window has to be given up.
    package mutating func giveWay() -> Action {
        // An answer that is stuck may have left it to be dropped.
        pendingDrop = 0
        switch phase {
        case .head, .bodyStart, .body: return refuse(.noRoom)
        // How much of a body was given up is not known: what follows it cannot be found.
        case .idle, .discarding, .handling, .streaming: refusesNext = true
        default: break
        }
        return .wait
    }

    /// The server stops. Requests that are not whole are refused, idle connections end; what is
    /// being answered is finished. Until this is called, `willStop` lets the last bytes be read.
    package mutating func stop() -> Action {
        isStopping = true
        switch phase {
        case .head, .bodyStart, .body: return refuse(.shuttingDown)
        case .idle where writeDeadline == Self.never:
            phase = .closed
            return .close
        case .discarding:
            phaseDeadline = Self.never
            phase = .closing(unread: true)
            return .wait
        default: return .wait
        }
    }

    /// The server is about to stop: every answer from now on ends its connection, and a window that
    /// does not hold a whole request is refused by `advance`.
    package mutating func willStop() { isStopping = true }
}

/// How an answer has to be put for the request that it answers.
package struct AnswerForm: Sendable, Equatable {
    /// The end of the body of a streamed answer.
    package enum StreamEnd: Sendable, Equatable {
        /// Chunks, and a last one of length zero (HTTP/1.1).
        case chunked
        /// The end of the connection (HTTP/1.0).
        case connection
    }

    /// The version of the request; answers say HTTP/1.1 to both (RFC 9110 §6.2).
    package var version: Version
    /// `true` for HEAD: the header of a GET without its body.
    package var isHeaderOnly: Bool
    /// `false` if the connection ends after this answer.
    package var keepsAlive: Bool

    package init(version: Version, isHeaderOnly: Bool, keepsAlive: Bool) {
        self.version = version
        self.isHeaderOnly = isHeaderOnly
        self.keepsAlive = keepsAlive
    }

    /// How a streamed body ends.
    package var streamEnd: StreamEnd { version == .http11 ? .chunked : .connection }
}
