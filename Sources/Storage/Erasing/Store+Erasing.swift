import Dispatch
import Events
import Glibc

extension Store {
    /// How long an erasure waits for readers of the log before it leaves the log to the writer, in tries
    /// of a tenth of a second.
    private static let triesForLog = 50
    /// For how long each try holds the writer up, milliseconds.
    private static let patienceForLog: Int32 = 20

    /// Erases a device: its receipt first, on disk; then everything there is of it. What arrives of it
    /// from then on is a new device's. Other work goes on meanwhile.
    /// - Returns: nil where the app has no such device
    /// - Throws: what keeps it from writing; what has begun then is finished at the next start.
    package func erase(_ device: DeviceHash, of app: App) throws(StorageError) -> ErasedDevice? {
        let reader = try reader()
        let detached = try erasures.withLock { _ throws(StorageError) -> Int64? in
            guard let newest = try newestArrival(of: device, app, reader) else { return nil }
            // Whatever the clock says, the receipt covers all that is there.
            let moment = max(now(), newest) + 1
            let end = try ErasureReceipts.append(
                ErasureReceipt(app: app.name, device: device, moment: moment), to: directory.erased)
            return try writer.perform { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try connection.setFact(Erasure.erasedOctets, end)
                    return try DeviceErasure(connection: connection).detach(
                        app: app.id, hash: device.bytes, before: nil)
                }
            }
        }
        guard let detached else { return nil }
        let run = Erasure(reader: reader) { [writer] (keepsCodes, work) throws(StorageError) in
            try writer.perform(keepsCodes: keepsCodes) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try work(DeviceErasure(connection: connection))
                }
            }
        }
        var erased = try run.finish(detached, .candidates(of: detached, reader))
        try freePages()
        erased.isLogEmpty = try emptyLog()
        return erased
    }

    /// When the newest of its batches arrived, milliseconds; 0 without any; nil where there is no such
    /// device.
    private func newestArrival(
        of device: DeviceHash, _ app: App, _ connection: Connection
    ) throws(StorageError) -> Int64? {
        let row = try connection.prepare(
            """
            SELECT coalesce((SELECT max(received_at) FROM batch WHERE batch.device = d.id), 0)
            FROM device AS d WHERE app = ? AND hash = ?
            """)
        try row.bind(1, app.id)
        try row.bindBlob(2, device.bytes)
        return try row.step() ? row.int(0) : nil
    }

    /// Moves the log to the file and cuts it to nothing, so that it holds nothing of what was deleted.
    /// - Returns: false where a reader holds it up for long: the writer then goes on trying by itself
    private func emptyLog() throws(StorageError) -> Bool {
        for attempt in 0..<Self.triesForLog {
            if attempt > 0 { usleep(100_000) }
            if try tryEmptyLog() { return true }
        }
        emptyLogLater()
        return false
    }

    private func tryEmptyLog() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                _ = try connection.checkpoint(.truncate, patience: Self.patienceForLog)
            }
            return true
        } catch {
            guard error.kind == .busy else { throw error }
            return false
        }
    }

    private func emptyLogLater() {
        later.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            // Closed, or a disk that fails: the next start empties the log.
            guard let self, let isEmpty = try? self.tryEmptyLog() else { return }
            if !isEmpty { self.emptyLogLater() }
        }
    }
}
