import HTTP1

/// Writing to clients.
extension EventLoop {
    /// What a streamed answer may write before others have their turn.
    private static var streamInATurn: Int { 1 << 20 }
    /// What a streamed answer may say at once.
    private static var pieceBytes: Int { 512 << 10 }

    /// Puts an answer into `output`; it leaves with the next `flush`.
    func reply(_ connection: HTTPConnection, _ response: Response) {
        connection.departure = nil
        guard
            let form = connection.machine.answer(
                closes: response.closes, streams: response.stream != nil, now: now)
        else {
            response.stream?.cancel()
            return
        }
        if let context = connection.handled.take() {
            handlers[connection.group].answered(context, status: response.status)
        }
        let isSmall = response.hold == nil || response.body.count <= Self.outputBytes
        if isSmall || connection.pendingCount > 0 || form.isHeaderOnly {
            ResponseEncoder.append(response, form, date: date, to: &output)
        } else {
            // A large body is not copied.
            ResponseEncoder.appendHead(response, form, date: date, to: &output)
            connection.head = output
            connection.pending = response.body
            output.removeAll(keepingCapacity: true)
        }
        if let hold = response.hold, !form.isHeaderOnly { connection.holds.append(hold) }
        guard let stream = response.stream else { return }
        if form.isHeaderOnly || !connection.machine.isStreaming {
            stream.cancel()
            return
        }
        connection.stream = stream
        connection.streamEnd = form.streamEnd
        connection.owesHead = true
        // An end in order would say that it was whole, also where the process is killed.
        if form.streamEnd == .connection { setResetOnClose(connection, true) }
        stream.begin { [home, address = connection.address] in home.post(.more(address)) }
    }

    /// Writes what there is, as far as the client takes it.
    func flush(_ connection: HTTPConnection) {
        var written = 0
        while connection.isOpen {
            let wantsMore = pull(connection)
            guard connection.isOpen else { return }
            let waiting = connection.pendingCount + output.count
            if waiting == 0, !connection.machine.isEnding { return }
            let count = write(connection)
            guard connection.isOpen else { return }
            written += count
            switch connection.machine.wrote(count, pending: connection.pendingCount, now: now) {
            case .resume: break
            // To close over bytes that were not read would reset the connection, and the client
            // might lose the answer.
            case .close
            where !connection.canRead || !SystemCalls.isReadable(connection.descriptor):
                close(connection)
                return
            case .close, .linger:
                SystemCalls.shutdownWriting(connection.descriptor)
                connection.machine.linger(now: now)
                return
            }
            if connection.pendingCount > 0 || !wantsMore { return }
            if written >= Self.streamInATurn {
                list(connection)
                return
            }
        }
    }

    /// Asks a streamed body for as much as the output has room for.
    /// - Returns: `true` if the body may have more at once.
    private func pull(_ connection: HTTPConnection) -> Bool {
        if connection.owesHead {
            // By itself: who waits for it need not wait for the body's first piece.
            connection.owesHead = false
            return true
        }
        while let stream = connection.stream {
            if connection.pendingCount > 0 || output.count >= Self.outputBytes { return true }
            scratch.removeAll(keepingCapacity: true)
            let step = stream.pull(into: &scratch, limit: Self.pieceBytes)
            let isEmpty = scratch.isEmpty
            putScratch(connection)
            switch step {
            case .more:
                if isEmpty { return false }
            case .later: return false
            case .end:
                connection.stream = nil
                if connection.streamEnd == .chunked {
                    ResponseEncoder.appendLastChunk(to: &output)
                }
                connection.machine.streamEnded(now: now)
            case .failed:
                connection.stream = nil
                close(connection, isCut: true)
                return false
            }
        }
        return false
    }

    /// Puts what a streamed body said, in `scratch`, into `output`; a large piece waits as it is and is not
    /// copied, where nothing else waits.
    private func putScratch(_ connection: HTTPConnection) {
        if scratch.isEmpty { return }
        let isChunk = connection.streamEnd == .chunked
        if isChunk { ResponseEncoder.appendChunkHead(scratch.count, to: &output) }
        guard scratch.count >= Self.outputBytes else {
            output.append(contentsOf: scratch)
            if isChunk { ResponseEncoder.appendChunkEnd(to: &output) }
            return
        }
        if isChunk { ResponseEncoder.appendChunkEnd(to: &scratch) }
        (connection.head, connection.headStart) = (Array(output), 0)
        (connection.pending, connection.pendingStart) = (scratch, 0)
        scratch = []
        output.removeAll(keepingCapacity: true)
    }

    /// One call: what waits and what is new. What is left over waits in the connection.
    private func write(_ connection: HTTPConnection) -> Int {
        defer {
            if output.capacity > 4 * Self.outputBytes {
                output = []
                output.reserveCapacity(Self.outputBytes)
            } else {
                output.removeAll(keepingCapacity: true)
            }
        }
        if connection.pendingCount > 0 {
            if !output.isEmpty {
                if connection.pendingStart >= max(Self.outputBytes, connection.pendingCount) {
                    // Not more often than it halves, or a long answer would be moved over and over.
                    connection.pending.removeFirst(connection.pendingStart)
                    connection.pendingStart = 0
                }
                connection.pending.append(contentsOf: output)
            }
            guard connection.canWrite else { return 0 }
            let ofHead = writeHead(connection)
            guard connection.canWrite, connection.isOpen else { return ofHead }
            let count =
                ofHead + send(connection, connection.pending, from: connection.pendingStart)
            connection.pendingStart += count - ofHead
            if connection.pendingCount == 0 {
                connection.pending = []
                connection.pendingStart = 0
                connection.holds = []
            }
            return count
        }
        guard !output.isEmpty else { return 0 }
        let count = connection.canWrite ? send(connection, output, from: 0) : 0
        if connection.isOpen, count < output.count {
            connection.pending = Array(output[count...])
            connection.pendingStart = 0
        } else {
            connection.holds = []
        }
        return count
    }

    private func writeHead(_ connection: HTTPConnection) -> Int {
        if connection.head.isEmpty { return 0 }
        let count = send(connection, connection.head, from: connection.headStart)
        connection.headStart += count
        if connection.headStart == connection.head.count {
            connection.head = []
            connection.headStart = 0
        }
        return count
    }

    private func send(_ connection: HTTPConnection, _ bytes: [UInt8], from start: Int) -> Int {
        let size = bytes.count - start
        let outcome = bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                SystemCalls.write(connection.descriptor, $0 + start, size)
            } ?? .done(0)
        }
        switch outcome {
        case .done(let count):
            if count < size { connection.canWrite = false }
            return count
        case .wouldBlock:
            connection.canWrite = false
            return 0
        case .failed:
            // The client is gone; what it should have read goes with it.
            close(connection)
            return 0
        }
    }
}
