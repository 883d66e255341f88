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
    /// - Returns: what the engine, or else this node, had of it, and the names of nodes that have not erased it
    ///   yet
    /// - Throws: a failure of kind `unavailable` without the engine: nothing is done then
    func erase(
        _ device: DeviceHash, of app: App, polling: Polling = .system
    ) throws(AdminFailure) -> (erased: DeviceRecord?, missing: [String]) {
        let record = try record(of: device, app)
        let newest = try newestArrival(record)
        let erasure = ReceiptedDevice(
            app: app.name, device: device, moment: max(store.now(), min(newest, 1 << 53)) + 1)
        let receipt = ErasureReceipt(app: app.name, device: device, moment: erasure.moment)
        let missing = try asking { () throws(ForwardingError) in
            let session = try session()
            let erasures = SharedErasures(store, session, node: settings.node)
            try erasures.announce(erasure)
            if let forwarder { forwarder.look() } else { try erasures.catchUp() }
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
        return (record, missing)
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
