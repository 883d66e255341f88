import HTTP1

/// Reading from clients.
extension EventLoop {
    /// Does whatever can be done for a connection without waiting.
    func turn(_ connection: HTTPConnection) {
        guard connection.isOpen else { return }
        flush(connection)
        var steps = 0
        while connection.isOpen, !connection.isListed, connection.machine.wantsInput {
            guard connection.hasUnseen || (connection.canRead && hasRoom(for: connection)) else {
                break
            }
            if steps == Self.readsInATurn {
                list(connection)
                break
            }
            steps += 1
            if connection.hasUnseen { lookAgain(connection) } else { read(connection) }
        }
        guard connection.isOpen else { return }
        account(connection)
        if connection.mayHaveEnded { connection.machine.peerMayHaveGone(now: now) }
        schedule(connection)
    }

    /// Has the connection turned again after the others.
    func list(_ connection: HTTPConnection) {
        guard !connection.isListed else { return }
        connection.isListed = true
        listed.append(connection.address)
    }

    /// `false` if the body of this connection has to stay unread; its deadline runs on.
    private func hasRoom(for connection: HTTPConnection) -> Bool {
        if connection.waitsForRoom { return false }
        guard !connection.store.isEmpty, connection.machine.bodyBytes > 0,
            !configuration.budget.hasRoom || mustPause(connection)
        else { return true }
        connection.waitsForRoom = true
        waiting.append(connection.address)
        return false
    }

    /// Until room has been made, who holds much gets no more.
    private func mustPause(_ connection: HTTPConnection) -> Bool {
        configuration.budget.isCrowded && connection.store.capacity > ComingRequests.largeBytes
    }

    private func read(_ connection: HTTPConnection) {
        // Beyond the budget heads are still read, but little at a time.
        let size = configuration.budget.hasRoom ? Self.inputBytes : 4096
        let arrivedAt = min(connection.readableSince, now)
        connection.readableSince = .max
        switch SystemCalls.read(connection.descriptor, input, size) {
        case .done(0):
            connection.canRead = false
            applyEnd(connection)
        case .done(let count):
            home.received.add(count)
            connection.arrivedAt = arrivedAt
            if count < size, !connection.mayHaveEnded {
                // A short read has emptied the socket: no second call to be told so.
                connection.canRead = false
            } else {
                connection.readableSince = now
            }
            receive(connection, count)
        case .wouldBlock: connection.canRead = false
        case .failed: close(connection)
        }
    }

    private func applyEnd(_ connection: HTTPConnection) {
        let action = connection.machine.peerEnded()
        switch action {
        case .refuse(let refusal):
            refuse(connection, refusal, Span())
            flush(connection)
        case .close: close(connection)
        default: flush(connection)
        }
    }

    /// `count` bytes have arrived in the input buffer.
    private func receive(_ connection: HTTPConnection, _ count: Int) {
        // By then the store has what is still needed; a body may be plain text.
        defer { SystemCalls.overwrite(input, count) }
        if connection.store.isEmpty {
            let left = work(connection, input, count)
            guard connection.isOpen else { return }
            if !left.isEmpty { append(connection, input + left.lowerBound, left.count) }
        } else {
            append(connection, input, count)
            workOnStore(connection)
        }
        if connection.isOpen { flush(connection) }
    }

    /// What was left unseen while an answer was awaited is looked at.
    private func lookAgain(_ connection: HTTPConnection) {
        connection.hasUnseen = false
        workOnStore(connection)
        if connection.isOpen { flush(connection) }
    }

    private func append(_ connection: HTTPConnection, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
        let capacity = connection.store.capacity(
            adding: count, expected: connection.machine.expectedBytes)
        configuration.budget.adjustComing(by: capacity - connection.store.capacity)
        connection.store.reserve(capacity)
        connection.store.append(bytes, count)
    }

    private func workOnStore(_ connection: HTTPConnection) {
        // Without one there is nothing to see: what was in it has been given up.
        let left = work(connection, connection.store.base ?? input, connection.store.count)
        guard connection.isOpen else { return }
        let capacity = connection.store.capacity
        connection.store.keep(left)
        configuration.budget.adjustComing(by: connection.store.capacity - capacity)
    }

    /// Shows the machine a window and does what it asks for, request after request.
    /// - Returns: what of the window is still needed.
    private func work(
        _ connection: HTTPConnection, _ base: UnsafeMutablePointer<UInt8>, _ count: Int
    ) -> Range<Int> {
        var start = 0
        var answered = 0
        let handler = handlers[connection.group]
        while true {
            // A client that sends but does not read gets no further answers.
            if output.count >= Self.outputBytes { flush(connection) }
            guard connection.isOpen else { return 0..<0 }
            if connection.pendingCount > 0, !connection.machine.isEnding {
                connection.hasUnseen = start < count
                return start..<count
            }
            if answered > 0, start < count, !connection.machine.isEnding,
                answered == Self.requestsInATurn || isStretchOver
            {
                // The others have their turn before the next of its requests.
                connection.hasUnseen = true
                list(connection)
                return start..<count
            }
            var window = unsafe MutableSpan(_unsafeStart: base + start, count: count - start)
            switch connection.machine.advance(
                &window, now: now, arrivedAt: connection.arrivedAt)
            {
            case .read(let keep):
                connection.hasUnseen = false
                return start..<start + keep
            case .drop(let dropped):
                guard dropped <= count - start else {
                    close(connection)
                    return 0..<0
                }
                start += dropped
            case .admit:
                let exchange = exchange(connection)
                let head = unsafe Span(
                    _unsafeStart: UnsafePointer(base + start),
                    count: connection.machine.parser.head.end)
                switch handler.admit(connection.machine.parser.head, head, exchange) {
                case .readBody(let limit, let context, let openingBytes):
                    connection.context = context
                    connection.machine.readBody(limit: limit, openingBytes: openingBytes)
                case .handle(let context):
                    connection.context = context
                    connection.machine.skipBody()
                case .answer(let response):
                    reply(connection, response)
                    answered += 1
                }
            case .judgeOpening(let body):
                let opening = unsafe Span(
                    _unsafeStart: UnsafePointer(base + start + body.lowerBound),
                    count: body.count)
                let kept = start..<start + body.upperBound
                switch handler.judge(
                    opening: opening, connection.machine.parser.head, context: connection.context,
                    exchange(connection))
                {
                case .readOn: connection.machine.readOn()
                case .needs(let count):
                    connection.machine.readOn(openingBytes: max(count, body.count + 1))
                case .answer(let response):
                    connection.context = nil
                    reply(connection, response)
                    continue
                }
                connection.hasUnseen = false
                return kept
            case .sendContinue: ResponseEncoder.appendContinue(to: &output)
            case .handle(let body, let end):
                let exchange = exchange(connection)
                let head = unsafe Span(
                    _unsafeStart: UnsafePointer(base + start),
                    count: connection.machine.parser.head.end)
                let bodyBytes = unsafe Span(
                    _unsafeStart: UnsafePointer(base + start + body.lowerBound),
                    count: body.count)
                let context = connection.context.take()
                connection.handled = context
                handler.handle(
                    connection.machine.parser.head, head, body: bodyBytes, context: context,
                    exchange)
                start += end
                settleInline(connection)
                answered += 1
            case .refuse(let refusal):
                let bytes = unsafe Span(
                    _unsafeStart: UnsafePointer(base + start), count: count - start)
                refuse(connection, refusal, bytes)
            case .wait:
                if connection.machine.isEnding { return 0..<0 }
                connection.hasUnseen = start < count
                return start..<count
            case .close:
                close(connection)
                return 0..<0
            }
        }
    }

    private func exchange(_ connection: HTTPConnection) -> Exchange {
        Exchange(
            arrival: arrival(connection), home: home, address: connection.address,
            sequence: connection.machine.sequence)
    }

    /// When the request that is being received began, milliseconds since 1970.
    private func arrival(_ connection: HTTPConnection) -> Int64 {
        wall - (now - connection.machine.begunAt) / 1_000_000
    }

    /// Answers a request that breaks the protocol with what the handler makes of it.
    /// - Parameter bytes: the message from its first byte, as far as it is at hand
    func refuse(_ connection: HTTPConnection, _ reason: RequestRefusal, _ bytes: Span<UInt8>) {
        let context = connection.context.take()
        let response = handlers[connection.group].refusal(
            reason, connection.machine.parser.head, bytes, context: context,
            arrival: arrival(connection))
        reply(connection, response)
    }

    /// The usual case: the handler has answered before it returned.
    private func settleInline(_ connection: HTTPConnection) {
        if let (address, action) = home.departures.popLast() {
            if address == connection.address { connection.departure = action }
            home.departures.removeAll(keepingCapacity: true)
        }
        // The first, should there be two.
        let sequence = connection.machine.sequence
        guard
            let index = home.localAnswers.firstIndex(where: {
                $0.address == connection.address && $0.sequence == sequence
            })
        else { return }
        reply(connection, home.localAnswers.remove(at: index).response)
    }
}
