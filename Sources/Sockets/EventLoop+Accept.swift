import Glibc
import HTTP1
import Synchronization

/// Taking connections, and letting them go.
extension EventLoop {
    /// Connections accepted before others have their turn.
    private static var acceptsInATurn: Int { 64 }
    /// How long to leave listeners alone when descriptors are short.
    private static var acceptPause: Int64 { 100_000_000 }

    /// Watches the listeners whose group has room.
    func watchListeners() {
        guard !isStopping, acceptAgain == .max else { return }
        for index in listeners.indices where !listeners[index].isWatched {
            let group = groups[listeners[index].group]
            guard group.hasRoom else { continue }
            group.isFull.store(false, ordering: .sequentiallyConsistent)
            do throws(SocketError) {
                try epoll.addListener(
                    listeners[index].socket.descriptor, Self.listenerTokens - UInt64(index))
                listeners[index].isWatched = true
            } catch {
                pause(error)
            }
        }
    }

    func accept(at index: Int) {
        guard listeners.indices.contains(index), listeners[index].isWatched else { return }
        openReserve()
        let listener = listeners[index]
        let group = groups[listener.group]
        for _ in 0..<Self.acceptsInATurn {
            if !group.hasRoom {
                unwatch(index)
                group.isFull.store(true, ordering: .sequentiallyConsistent)
                // A connection may have ended in between without seeing the flag.
                if group.hasRoom { watchListeners() }
                return
            }
            switch SystemCalls.accept(listener.socket.descriptor) {
            case .wouldBlock:
                if reserve >= 0 { isShort = false }
                return
            case .failed(let number):
                if Self.concernsOneConnection(number) { continue }
                if number == EMFILE || number == ENFILE, reserve >= 0 {
                    // One more can be served with the descriptor that was kept back.
                    SystemCalls.close(reserve)
                    reserve = -1
                    continue
                }
                pause(
                    SocketError(
                        operation: "accept on", subject: listener.socket.address,
                        number: number))
                return
            case .done(let descriptor): assign(register(descriptor, listener), listener.group)
            }
        }
    }

    /// Takes what has connected already, so that closing the listeners does not reset it. What waits
    /// at a listener that was handed to the process is left to other processes that listen there.
    func takeBacklogs() {
        for listener in listeners where !listener.socket.isInherited {
            for _ in 0..<max(0, configuration.backlog) {
                guard groups[listener.group].hasRoom,
                    case .done(let descriptor) = SystemCalls.accept(listener.socket.descriptor)
                else { break }
                // Here, since other loops may have ended.
                home.load.add(1, ordering: .relaxed)
                adopt(
                    register(descriptor, listener), listener.group,
                    acceptedAt: configuration.clock.monotonic())
            }
        }
    }

    /// Errors of `accept` that belong to the connection it would have returned (accept(2)); the next
    /// one may be well.
    private static func concernsOneConnection(_ number: Int32) -> Bool {
        switch number {
        case ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH,
            ENOPROTOOPT, EOPNOTSUPP, ETIMEDOUT:
            true
        default: false
        }
    }

    /// Sets a new connection's options and counts it in.
    private func register(_ accepted: Int, _ listener: LoopListener) -> Int32 {
        let descriptor = Int32(truncatingIfNeeded: accepted)
        if listener.socket.isTCP {
            SystemCalls.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY)
        }
        groups[listener.group].connections.add(1, ordering: .sequentiallyConsistent)
        return descriptor
    }

    /// Gives a new connection to the loop that has fewest.
    private func assign(_ descriptor: Int32, _ group: Int) {
        let acceptedAt = configuration.clock.monotonic()
        var best = home
        for peer in peers
        where peer.load.load(ordering: .relaxed) < best.load.load(ordering: .relaxed) {
            best = peer
        }
        best.load.add(1, ordering: .relaxed)
        if best !== home {
            let adoption = Mailbox.Message.adopt(
                descriptor: descriptor, group: group, acceptedAt: acceptedAt)
            if best.post(adoption) { return }
            // It has ended; this one will have to follow.
            best.load.subtract(1, ordering: .relaxed)
            home.load.add(1, ordering: .relaxed)
        }
        adopt(descriptor, group, acceptedAt: acceptedAt)
    }

    /// Makes a connection of a descriptor.
    func adopt(_ descriptor: Int32, _ group: Int, acceptedAt: Int64) {
        let slot: UInt32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = UInt32(truncatingIfNeeded: connections.count)
            connections.append(nil)
            generations.append(0)
        }
        let address = ConnectionAddress(slot: slot, generation: generations[Int(slot)])
        let machine = ConnectionMachine(
            limits: configuration.limits, timeouts: configuration.timeouts, now: now)
        let connection = HTTPConnection(
            descriptor: descriptor, acceptedAt: acceptedAt, address: address, group: group,
            machine: machine)
        do throws(SocketError) {
            try epoll.add(descriptor, address.token)
        } catch {
            report(error)
            SystemCalls.close(descriptor)
            free.append(slot)
            home.load.subtract(1, ordering: .relaxed)
            leave(group)
            return
        }
        connections[Int(slot)] = connection
        count += 1
        schedule(connection)
        if isStopping, connection.isOpen {
            connection.machine.willStop()
            connection.canRead = true
            turn(connection)
            if connection.isOpen { apply(connection, connection.machine.stop()) }
        }
    }

    /// Ends a connection at once, and tells its stream and its handler. Where an answer is given up half way it
    /// ends with a reset: neither a client nor a proxy between may take what came for the whole.
    /// - Parameter isCut: the source of an answer broke
    func close(_ connection: HTTPConnection, isCut: Bool = false) {
        guard connection.isOpen else { return }
        connection.isOpen = false
        setResetOnClose(
            connection,
            isCut || connection.stream != nil || connection.pendingCount > 0 || !output.isEmpty)
        // What it had to say must not go to the next one.
        output.removeAll(keepingCapacity: true)
        let slot = Int(connection.address.slot)
        SystemCalls.close(connection.descriptor)
        connections[slot] = nil
        // The numbers of listeners and of the wake are beyond all generations.
        generations[slot] = (generations[slot] &+ 1) & 0x7FFF_FFFF
        free.append(connection.address.slot)
        count -= 1
        configuration.budget.adjustComing(by: -connection.store.capacity)
        account(connection)
        connection.stream?.cancel()
        connection.stream = nil
        connection.holds = []
        if connection.machine.awaitsAnswer { connection.departure?() }
        connection.departure = nil
        home.load.subtract(1, ordering: .relaxed)
        leave(connection.group)
    }

    /// Whether the system resets the connection when its descriptor closes.
    func setResetOnClose(_ connection: HTTPConnection, _ isReset: Bool) {
        guard connection.resetsOnClose != isReset else { return }
        connection.resetsOnClose = isReset
        SystemCalls.setResetOnClose(connection.descriptor, isReset)
    }

    /// Counts a connection out, and tells the accepting loop if that makes room.
    func leave(_ group: Int) {
        let group = groups[group]
        group.connections.subtract(1, ordering: .sequentiallyConsistent)
        guard group.isFull.load(ordering: .sequentiallyConsistent) else { return }
        if listeners.isEmpty { peers[0].post(.room) } else { home.post(.room) }
    }

    /// Level-triggered listeners would spin while nothing can be accepted. However long that lasts,
    /// it is one line in the log.
    private func pause(_ error: SocketError) {
        for index in listeners.indices { unwatch(index) }
        acceptAgain = now + Self.acceptPause
        if !isShort { report(error) }
        isShort = true
    }

    private func report(_ error: SocketError) {
        guard lastReport == .min || now - lastReport >= 1_000_000_000 else { return }
        lastReport = now
        configuration.onAcceptError(error)
    }

    private func unwatch(_ index: Int) {
        guard listeners[index].isWatched else { return }
        epoll.removeListener(listeners[index].socket.descriptor)
        listeners[index].isWatched = false
    }

    func openReserve() {
        guard reserve < 0, !listeners.isEmpty, !isStopping else { return }
        reserve = dup(listeners[0].socket.descriptor)
        // A duplicate of the listener would keep it listening in a child.
        if reserve >= 0 { SystemCalls.setCloseOnExec(reserve) }
    }

    func closeListeners() {
        for index in listeners.indices {
            unwatch(index)
            listeners[index].close()
        }
        listeners = []
        acceptAgain = .max
        // It is a duplicate of a listener, which would listen on.
        if reserve >= 0 {
            SystemCalls.close(reserve)
            reserve = -1
        }
    }
}
