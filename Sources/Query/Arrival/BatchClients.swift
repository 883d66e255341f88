import Database
import Storage

/// What the batches of each client add up to, as a scan comes across them: a client is the program that made
/// them, by its name and version.
struct BatchClients {
    /// Clients, numbered from 0.
    private var names: ResourceValues
    /// By client.
    private var sums: [Arrivals.ClientSums] = []
    private var held: HeldBytes

    /// None yet. Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        names = ResourceValues(of: try ResourceTexts(clients: reading), reading.account)
        held = HeldBytes(reading.account)
    }

    /// Adds the batch that a scan stands at. Throws what the database throws, and if the report is to end.
    @inline(__always)
    mutating func add(_ batch: borrowing BatchScan) throws(StorageError) {
        guard let client = try names.value(of: batch.resource) else { return }
        if client == sums.count { sums.append(Arrivals.ClientSums(), &held) }
        sums[client].add(batches: 1, batch.rejected, batch.droppedEvents)
    }

    /// Those with most batches by their names, and the sum of all others. Throws if the report is to end.
    /// - Parameter limit: how many are named
    func ranked(_ limit: Int, _ reading: Reading) throws(StorageError) -> Arrivals.Clients {
        let codes = names.codes
        var ranking = Ranking(limit)
        try ranking.add(sums.indices, reading) { a, b in
            sums[a].batches != sums[b].batches
                ? sums[a].batches > sums[b].batches : codes.precedes(a, b)
        }
        let named = ranking.ranked.sorted { codes.precedes($0, $1) }
        var clients = Arrivals.Clients()
        clients.named = named.map { (name: codes[$0], sums: sums[$0]) }
        guard named.count < sums.count else { return clients }
        let isNamed = Set(named)
        var others = Arrivals.ClientSums()
        for client in sums.indices where !isNamed.contains(client) {
            let one = sums[client]
            others.add(batches: one.batches, one.rejected, one.dropped)
        }
        clients.others = others
        return clients
    }
}

extension Arrivals.ClientSums {
    /// Adds amounts that are not below 0.
    fileprivate mutating func add(batches: Int, _ rejected: Int64, _ dropped: Int64) {
        self.batches += batches
        self.rejected = NamedSums.saturated(self.rejected, rejected)
        self.dropped = NamedSums.saturated(self.dropped, dropped)
    }
}
