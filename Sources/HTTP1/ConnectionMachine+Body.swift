/// The body of a request: taken in place, never beyond its limit.
extension ConnectionMachine {
    /// The handler wants the body; to be called after `admit`, then `advance`.
    /// - Parameters:
    ///   - limit: bytes of decoded body; beyond it the request is refused, before the body is read
    ///     if its length is declared
    ///   - openingBytes: bytes of decoded body that have to be judged as soon as they are there, if
    ///     the body is not whole by then: `judgeOpening`
    package mutating func readBody(limit: Int, openingBytes: Int? = nil) {
        guard phase == .admitting else { return }
        bodyLimit = limit
        self.openingBytes = openingBytes ?? .max
        skipsBody = false
        phase = .bodyStart
    }

    /// The handler wants the request without a body that may follow, which is not read; to be called
    /// after `admit`, then `advance`.
    package mutating func skipBody() {
        guard phase == .admitting else { return }
        skipsBody = true
        phase = .bodyStart
    }

    /// The body's opening was good; to be called after `judgeOpening` unless that is answered.
    /// - Parameter openingBytes: how many bytes are to be judged next, beyond those that are there
    package mutating func readOn(openingBytes: Int? = nil) {
        guard phase == .opening else { return }
        self.openingBytes = openingBytes ?? .max
        phase = .body
    }

    /// Bytes of body that are kept in the window.
    package var bodyBytes: Int { phase == .body ? kept - head.end : 0 }

    /// Bytes that the whole message is known to need in the window, 0 if that is not known.
    package var expectedBytes: Int {
        guard phase == .body, case .length(let length) = head.body else { return 0 }
        return head.end + length
    }

    mutating func startBody(_ window: inout MutableSpan<UInt8>) -> Action {
        if skipsBody { return handleWithoutBody(window.count) }
        switch head.body {
        case .none, .length(0):
            phase = .handling
            phaseDeadline = Self.never
            return .handle(body: head.end..<head.end, end: head.end)
        case .length(let length):
            if length > bodyLimit { return refuse(.bodyTooLarge, knowsBounds: true) }
        case .chunked:
            chunks = ChunkDecoder(limits: limits, bodyLimit: bodyLimit)
        }
        phase = .body
        // A client that has begun to send does not wait (RFC 9110 §10.1.1).
        if head.expectsContinue, window.count == head.end { return .sendContinue }
        return advanceBody(&window)
    }

    /// Hands the request on; of what follows it nothing is kept.
    private mutating func handleWithoutBody(_ count: Int) -> Action {
        phase = .handling
        phaseDeadline = Self.never
        let (rest, isTooMuch) = unreadBody()
        // The connection ends after the answer: whatever has come belongs to the body.
        let dropped = isTooMuch ? count - head.end : min(rest, count - head.end)
        unreadRest = (isTooMuch ? 0 : rest - dropped, isTooMuch)
        return .handle(body: head.end..<head.end, end: head.end + dropped)
    }

    mutating func advanceBody(_ window: inout MutableSpan<UInt8>) -> Action {
        var end = kept
        var isWhole = false
        if case .length(let length) = head.body {
            kept = min(window.count, head.end + length)
            end = kept
            isWhole = kept == head.end + length
        } else {
            while chunks != nil, !isWhole, end < window.count {
                // Payload moves down to what has been kept, so that the body is in one piece.
                switch chunks?.next(window.span, at: &end) {
                case .payload(let range):
                    if range.lowerBound != kept {
                        window.withUnsafeMutableBufferPointer { bytes in
                            let piece = UnsafeRawBufferPointer(
                                rebasing: UnsafeRawBufferPointer(bytes)[range])
                            UnsafeMutableRawBufferPointer(
                                rebasing: UnsafeMutableRawBufferPointer(bytes)[kept...]
                            ).copyMemory(from: piece)
                        }
                    }
                    kept += range.count
                case .refused(let refusal): return refuse(refusal)
                case .end: isWhole = true
                case .more, nil: break
                }
            }
        }
        if isWhole {
            chunks = nil
            phase = .handling
            phaseDeadline = Self.never
            return .handle(body: head.end..<kept, end: end)
        }
        if isStopping { return refuse(.shuttingDown) }
        guard kept - head.end >= openingBytes else { return .read(keep: kept) }
        phase = .opening
        return .judgeOpening(body: head.end..<kept)
    }
}
