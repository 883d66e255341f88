import HTTP1

/// Room for incomplete requests: when their budget is full, the oldest of them end, whichever loop
/// they belong to.
extension EventLoop {
    /// How long to wait for a loop that does not turn, in nanoseconds.
    private static var patience: Int64 { 20_000_000 }

    /// Notes that there is too little room, if so, and has the other loops look as well.
    func noticeCrowd() {
        guard configuration.budget.isCrowded else { return configuration.budget.calm() }
        guard configuration.budget.beginCrowd(at: configuration.clock.monotonic()) else { return }
        for peer in peers where peer !== home { peer.post(.makeRoom) }
    }

    /// Makes room if there is too little. To be called when all that was ready has had its turn.
    func makeRoom() {
        noticeCrowd()
        guard let since = configuration.budget.crowdedSince else { return }
        // The oldest request is known once every loop has read what had arrived by then.
        guard
            now - since > Self.patience
                || peers.allSatisfy({ $0.turnedAt.load(ordering: .acquiring) >= since })
        else { return }
        while configuration.budget.isCrowded, let owner = ownerOfEldest {
            guard owner === home else {
                owner.post(.makeRoom)
                return
            }
            guard let address = coming.first, let connection = connection(address) else { return }
            giveWay(connection)
        }
        noticeCrowd()
        // Others may wait for what is free now.
        for peer in peers where peer !== home { peer.post(.makeRoom) }
    }

    /// The loop that has the request which has to make room first.
    private var ownerOfEldest: LoopHome? {
        for isLarge in [true, false] {
            var eldest = ComingRequestsView.none
            var owner: LoopHome?
            for peer in peers {
                let begunAt = peer.coming.eldest(isLarge: isLarge)
                if begunAt < eldest { (eldest, owner) = (begunAt, peer) }
            }
            if let owner { return owner }
        }
        return nil
    }

    private func giveWay(_ connection: HTTPConnection) {
        let action = connection.machine.giveWay()
        dropStore(connection)
        // The machine is asked again: it refuses the request whose unseen bytes are gone.
        if action == .wait { connection.hasUnseen = true }
        apply(connection, action)
    }

    /// Drops what has arrived of a request that is refused.
    func dropStore(_ connection: HTTPConnection) {
        configuration.budget.adjustComing(by: -connection.store.capacity)
        connection.store.keep(0..<0)
    }

    /// Notes what the connection holds of an incomplete request. Call this after each of its turns.
    func account(_ connection: HTTPConnection) {
        var entry: ComingRequests.Entry?
        if connection.isOpen, !connection.store.isEmpty {
            entry = ComingRequests.Entry(
                begunAt: connection.requestBegunAt,
                isLarge: connection.store.capacity > ComingRequests.largeBytes)
        }
        guard entry != connection.entry else { return }
        if let old = connection.entry { coming.remove(old, connection.address) }
        if let entry { coming.insert(entry, connection.address) }
        connection.entry = entry
        home.coming.publish(coming)
    }
}
