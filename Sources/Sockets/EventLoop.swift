import HTTP1

/// A thread's loop over its connections. Everything in it is used on that thread alone.
final class EventLoop {
    /// Size of the buffer that all connections read into.
    static let inputBytes = 64 << 10
    /// A client that leaves this many bytes unread gets no further answers.
    static let outputBytes = 64 << 10
    /// Reads of one connection before others have their turn.
    static let readsInATurn = 4
    /// Requests of one connection, sent at once, before others have theirs.
    static let requestsInATurn = 16
    /// How long the loop works before it looks at its mailbox again, in nanoseconds.
    static let stretch: Int64 = 2_000_000
    static let listenerTokens = UInt64.max - 1

    let home: LoopHome
    let peers: [LoopHome]
    let epoll: Epoll
    let groups: [ListenerGroup]
    let handlers: [any RequestHandler]
    let configuration: Server.Configuration
    var listeners: [LoopListener]

    var connections: [HTTPConnection?] = []
    var generations: [UInt32] = []
    var free: [UInt32] = []
    var count = 0

    let input = UnsafeMutablePointer<UInt8>.allocate(capacity: EventLoop.inputBytes)
    /// Answers of the connection whose turn it is; empty between turns.
    var output: [UInt8] = []
    var scratch: [UInt8] = []

    var now: Int64
    var wall: Int64
    var date: [UInt8]
    private var dateSecond: Int64
    var wheel: DeadlineWheel
    private var due: [DeadlineWheel.Entry] = []
    private var events: [Epoll.Event] = []
    private var messages: [Mailbox.Message] = []
    private var answers: [AddressedResponse] = []
    /// Connections that get another turn after the others.
    var listed: [ConnectionAddress] = []
    /// A handler has put something off until the end of the next turn.
    private var isBusy = false
    /// Incomplete requests that hold memory.
    var coming = ComingRequests()
    /// Connections that wait for room in the budget.
    var waiting: [ConnectionAddress] = []

    /// A descriptor that is given up to accept one more connection when no other is left.
    var reserve: Int32 = -1
    var acceptAgain: Int64 = .max
    /// Descriptors have run out, and that has been reported.
    var isShort = false
    var lastReport: Int64 = .min
    var isStopping = false
    private var drainDeadline: Int64 = .max

    init(
        home: LoopHome, peers: [LoopHome], epoll: Epoll, groups: [ListenerGroup],
        listeners: [LoopListener], configuration: Server.Configuration
    ) {
        self.home = home
        self.peers = peers
        self.epoll = epoll
        self.groups = groups
        self.listeners = listeners
        self.configuration = configuration
        handlers = groups.map { $0.makeHandler(home.index) }
        now = configuration.clock.monotonic()
        wall = configuration.clock.wall()
        dateSecond = wall / 1000
        date = HTTPDate.text(seconds: dateSecond)
        wheel = DeadlineWheel(now: now)
        output.reserveCapacity(Self.outputBytes)
    }

    deinit { input.deallocate() }

    func run() {
        home.settle()
        openReserve()
        watchListeners()
        while true {
            epoll.wait(timeToWait, into: &events)
            readClocks()
            let begin = now
            for index in 0..<events.count {
                notice(events[index])
                noticeCrowd()
                if events.count > 1 { endStretch() }
            }
            home.turnedAt.store(begin, ordering: .releasing)
            takeMessages()
            takeLocalAnswers()
            expireDeadlines()
            turnListed()
            endTurn()
            makeRoom()
            retryWaiting()
            if now >= acceptAgain {
                acceptAgain = .max
                openReserve()
                watchListeners()
            }
            takeLocalAnswers()
            if drainDeadline != .max, count == 0 || now >= drainDeadline { break }
        }
        finish()
    }

    /// `true` once the loop has been at what clients sent for so long that others should have their turn.
    var isStretchOver: Bool { configuration.clock.monotonic() - now >= Self.stretch }

    /// Sends answers from other threads in the middle of a long turn.
    private func endStretch() {
        guard isStretchOver else { return }
        readClocks()
        takeMessages()
        takeLocalAnswers()
    }

    private func takeMessages() {
        home.mailbox.take(&messages)
        for index in 0..<messages.count { apply(messages[index]) }
        // A body would be kept until the next message.
        messages.removeAll(keepingCapacity: true)
    }

    /// `nil`: until something happens.
    private var timeToWait: Int64? {
        if isBusy || !listed.isEmpty { return 0 }
        var moment = min(wheel.nextMoment ?? .max, min(acceptAgain, drainDeadline))
        // Other loops and the service make room without notice.
        if !waiting.isEmpty { moment = min(moment, now + 10_000_000) }
        if configuration.budget.isCrowded { moment = min(moment, now + 1_000_000) }
        return moment == .max ? nil : max(0, moment - now)
    }

    private func readClocks() {
        now = configuration.clock.monotonic()
        wall = configuration.clock.wall()
        let second = wall / 1000
        if second != dateSecond {
            dateSecond = second
            date = HTTPDate.text(seconds: second)
        }
    }

    func connection(_ address: ConnectionAddress) -> HTTPConnection? {
        let slot = Int(address.slot)
        guard slot < connections.count, let found = connections[slot],
            found.address.generation == address.generation
        else { return nil }
        return found
    }

    private func notice(_ event: Epoll.Event) {
        if event.token > Self.listenerTokens - 1024 {
            accept(at: Int(Self.listenerTokens - event.token))
            return
        }
        guard let connection = connection(ConnectionAddress(token: event.token)) else { return }
        if event.hasFailed, !connection.machine.isEnding {
            close(connection)
            return
        }
        // Both sides have ended their sending: to close a local socket over bytes that were not
        // read would be a reset, which may take the last answer from the client. Reading finds the
        // end, or the error.
        if event.isReadable || event.hasFailed {
            if !connection.canRead { connection.readableSince = now }
            connection.canRead = true
        }
        if event.hasPeerEnded || event.hasFailed { connection.mayHaveEnded = true }
        if event.isWritable || event.hasFailed { connection.canWrite = true }
        turn(connection)
    }

    private func apply(_ message: Mailbox.Message) {
        switch message {
        case .answer(let answer): deliver(answer)
        case .more(let address):
            if let connection = connection(address) { turn(connection) }
        case .adopt(let descriptor, let group, let acceptedAt):
            adopt(descriptor, group, acceptedAt: acceptedAt)
        case .room: watchListeners()
        // The turn's end does it.
        case .makeRoom: break
        case .stopAccepting: stopAccepting()
        case .call(let answer): answer()
        case .drain(let deadline): drainDeadline = deadline
        }
    }

    /// Answers that were given on this thread, in the order in which they were given: the first
    /// one for a request counts.
    private func takeLocalAnswers() {
        while !home.localAnswers.isEmpty {
            swap(&home.localAnswers, &answers)
            for answer in answers { deliver(answer) }
            answers.removeAll(keepingCapacity: true)
        }
    }

    private func deliver(_ answer: AddressedResponse) {
        guard let connection = connection(answer.address),
            connection.machine.sequence == answer.sequence, connection.machine.awaitsAnswer
        else {
            answer.response.stream?.cancel()
            return
        }
        reply(connection, answer.response)
        turn(connection)
    }

    private func expireDeadlines() {
        wheel.due(now, into: &due)
        for index in 0..<due.count {
            guard let connection = connection(due[index].address),
                connection.wheelTick == due[index].tick
            else { continue }
            connection.wheelTick = .max
            let action = connection.machine.expire(now: now)
            if action == .wait { schedule(connection) } else { apply(connection, action) }
        }
    }

    /// Puts the connection where the wheel looks at it in time.
    func schedule(_ connection: HTTPConnection) {
        let deadline = connection.machine.deadline
        guard deadline != ConnectionMachine.never else { return }
        let tick = wheel.tick(for: deadline)
        guard tick < connection.wheelTick else { return }
        connection.wheelTick = tick
        wheel.insert(connection.address, at: tick)
    }

    /// Does what the machine asks for outside its turn.
    func apply(_ connection: HTTPConnection, _ action: ConnectionMachine.Action) {
        switch action {
        case .refuse(let refusal):
            refuse(connection, refusal, Span())
            dropStore(connection)
            turn(connection)
        case .close: close(connection)
        case .sendContinue:
            ResponseEncoder.appendContinue(to: &output)
            turn(connection)
        default: turn(connection)
        }
    }

    private func turnListed() {
        guard !listed.isEmpty else { return }
        let addresses = listed
        listed.removeAll(keepingCapacity: true)
        for address in addresses {
            guard let connection = connection(address) else { continue }
            connection.isListed = false
            turn(connection)
            if addresses.count > 1 { endStretch() }
        }
    }

    private func endTurn() {
        isBusy = false
        for handler in handlers where handler.turnEnded() { isBusy = true }
    }

    private func retryWaiting() {
        guard !waiting.isEmpty, configuration.budget.hasRoom, !configuration.budget.isCrowded else {
            return
        }
        let addresses = waiting
        waiting.removeAll(keepingCapacity: true)
        for address in addresses {
            guard let connection = connection(address) else { continue }
            connection.waitsForRoom = false
            turn(connection)
        }
    }

    private func stopAccepting() {
        guard !isStopping else { return }
        takeBacklogs()
        isStopping = true
        closeListeners()
        for connection in connections {
            guard let connection else { continue }
            // What has arrived whole, unseen yet, is still answered.
            connection.machine.willStop()
            connection.canRead = true
            turn(connection)
            guard connection.isOpen else { continue }
            let action = connection.machine.stop()
            if action != .wait { apply(connection, action) }
        }
    }

    private func finish() {
        closeListeners()
        for connection in connections {
            if let connection { close(connection) }
        }
        for message in home.mailbox.close() {
            switch message {
            case .adopt(let descriptor, let group, _):
                SystemCalls.close(descriptor)
                leave(group)
            case .answer(let answer): answer.response.stream?.cancel()
            default: break
            }
        }
        if reserve >= 0 { SystemCalls.close(reserve) }
        epoll.shutDown()
        home.leave()
    }
}
