import Database
import Engine
import EngineQuery
import Events
import Forwarding
import Query
import Storage
import Upkeep

extension Cluster {
    /// Milliseconds that an erasure waits for other nodes.
    private static let patience: UInt32 = 10_000

    /// Erases a device at all nodes and in the engine.
    /// - Returns: what the engine had of it
    /// - Throws: a failure of kind `unavailable` without the engine: nothing is done then; one of kind `busy` where
    ///   it has begun and is not done everywhere
    func erase(
        _ device: DeviceHash, of app: App, polling: Polling = .system
    ) throws(AdminFailure) -> DeviceRecord? {
        let now = store.now()
        try checkClock(now, "an erasure")
        let record = try record(of: device, app)
        let newest = try newestArrival(record)
        let erasure = ReceiptedDevice(
            app: app.name, device: device, moment: max(now, min(newest, 1 << 53)) + 1)
        let receipt = ErasureReceipt(app: app.name, device: device, moment: erasure.moment)
        let session = try asking { () throws(ForwardingError) in try self.session() }
        let erasures = SharedErasures(store, session, node: settings.node)
        // The engine has just answered. Whether it has taken what it did not answer is not known.
        try begun("nodes may have learned of it; try again") { () throws(ForwardingError) in
            try erasures.announce(receipt)
        }
        let replicas = try begun(
            "nodes erase what they have of it, and what the engine has is there still; try again"
        ) { () throws(ForwardingError) in try erasures.delete(erasure) }
        let late = try begun(
            "the engine has erased it, and nodes will before they hand over anything else"
        ) { () throws(ForwardingError) in
            if let forwarder { forwarder.look() } else { try erasures.catchUp() }
            return try nodesMissing(receipt, erasures, session, polling)
        }
        var left = replicas.map { "\($0.description); that replica erases it when it can" }
        if !late.isEmpty {
            left.append(
                "not yet at \(late.joined(separator: ", ")): each node erases it before it hands over "
                    + "anything else; 'sojourn node list' tells when they were last seen")
        }
        guard left.isEmpty else {
            throw AdminFailure(
                .busy, "erased in the engine; " + left.joined(separator: "; "))
        }
        return record
    }

    /// Nodes that have not carried it out, after they were waited for.
    private func nodesMissing(
        _ receipt: ErasureReceipt, _ erasures: SharedErasures, _ session: EngineSession,
        _ polling: Polling
    ) throws(ForwardingError) -> [String] {
        var missing: [String] = []
        _ = try polling.first(every: 200, for: Self.patience) {
            () throws(ForwardingError) -> Bool? in
            let done = try erasures.done(receipt)
            let nodes = try NodeTable.all(session).filter { !$0.isRetired }.map(\.name)
            missing = Set(nodes + [settings.node]).subtracting(done).sorted()
            return missing.isEmpty ? true : nil
        }
        return missing
    }

    /// Does a part of what has begun.
    /// - Parameter state: how far it is where the part fails
    private func begun<T>(
        _ state: String, _ work: () throws(ForwardingError) -> T
    ) throws(AdminFailure) -> T {
        do throws(ForwardingError) { return try work() } catch {
            throw AdminFailure(.busy, "\(error); \(state)")
        }
    }

    /// What the engine has of a device; nil: nothing.
    private func record(
        of device: DeviceHash, _ app: App
    ) throws(AdminFailure) -> DeviceRecord? {
        do throws(EngineError) {
            let reading = try EngineReading(servers, timeout: settings.timeout) { false }
            do throws(QueryError) {
                return try EngineQueries(reading).device(device, of: QueryApp(app))
            } catch {
                throw error.cause as? EngineError ?? EngineError(.cut, error.description)
            }
        } catch {
            throw AdminFailure(error)
        }
    }

    private func newestArrival(_ record: DeviceRecord?) throws(AdminFailure) -> Int64 {
        do throws(StorageError) {
            return max(try store.newestArrival() ?? 0, record?.lastArrival ?? 0)
        } catch {
            throw AdminFailure(error)
        }
    }
}
