import Dispatch
import Events
import Glibc

extension Store {
    /// How long an erasure waits for readers of the log before it leaves that for later, in tries of a
    /// tenth of a second.
    private static let triesForLog = 50
    /// For how long each try holds the writer up, milliseconds.
    private static let patienceForLog: Int32 = 20

    /// Erases a device: its receipt first, on disk; then everything there is of it. What arrives of it
    /// from then on is a new device's. Other work goes on meanwhile.
    /// - Returns: nil where the app has no such device
    /// - Throws: what keeps it from writing; what has begun then is finished at the next start.
    package func erase(_ device: DeviceHash, of app: App) throws(StorageError) -> ErasedDevice? {
        guard let detached = try detach(device, of: app) else { return nil }
        return try finish(detached)
    }

    /// The first step: the receipt, then the device is a new one.
    /// - Returns: the row that is to be taken apart; nil where the app has no such device
    func detach(_ device: DeviceHash, of app: App) throws(StorageError) -> Int64? {
        let reader = try reader()
        return try erasures.withLock { _ throws(StorageError) -> Int64? in
            guard let newest = try newestArrival(of: device, app, reader) else { return nil }
            // Whatever the clock says, the receipt covers all that is there.
            let moment = max(now(), newest) + 1
            let line = try ErasureReceipts.append(
                ErasureReceipt(app: app.name, device: device, moment: moment), to: directory.erased)
            // The writer must forget the device's row, and so what it remembers of codes.
            return try writer.perform { [self] (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    // A receipt before it whose erasure failed is still to be carried out: the next
                    // start does it, from there on.
                    if try connection.fact(Erasure.erasedOctets) ?? 0 == line.lowerBound {
                        try connection.setFact(Erasure.erasedOctets, line.upperBound)
                    }
                    try connection.setFact(Erasure.isUnclean, 1)
                    detachments.add(1, ordering: .relaxed)
                    return try DeviceErasure(connection: connection).detach(
                        app: app.id, hash: device.bytes, before: nil)
                }
            }
        }
    }

    /// All other steps.
    func finish(_ detached: Int64) throws(StorageError) -> ErasedDevice {
        let reader = try reader()
        let run = Erasure(reader: reader) { [writer] (keepsCodes, work) throws(StorageError) in
            try writer.perform(keepsCodes: keepsCodes) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try work(DeviceErasure(connection: connection))
                }
            }
        }
        var erased = try run.finish(detached, .candidates(of: detached, reader))
        try freePages()
        erased.isClean = try cleanFile()
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

    /// Empties the log and overwrites what moved rows left in the file.
    /// - Returns: false where a reader holds the log up for long: the store then goes on trying by itself
    private func cleanFile() throws(StorageError) -> Bool {
        for attempt in 0..<Self.triesForLog {
            if attempt > 0 { usleep(100_000) }
            if try tryToCleanFile() { return true }
        }
        cleanFileLater()
        return false
    }

    private func tryToCleanFile() throws(StorageError) -> Bool {
        do throws(StorageError) {
            try noteClean(asOf: scrubFile())
            return true
        } catch {
            guard error.kind == .busy else { throw error }
            return false
        }
    }

    /// - Returns: how many devices had been detached when it began
    func scrubFile() throws(StorageError) -> Int {
        let count = detachments.load(ordering: .relaxed)
        try onWriter { (connection) throws(StorageError) in
            _ = try connection.checkpoint(.truncate, patience: Self.patienceForLog)
        }
        var pages = try FileScrub(connection: reader()).pages()[...]
        while !pages.isEmpty {
            let some = pages.prefix(FileScrub.pagesPerStep)
            pages = pages.dropFirst(some.count)
            try onWriter { (connection) throws(StorageError) in
                try FileScrub(connection: connection).clean(some, patience: Self.patienceForLog)
            }
        }
        return count
    }

    /// Last: what it writes itself is no trace of anybody. A device that was detached since the scrub
    /// began still needs one of its own.
    func noteClean(asOf count: Int) throws(StorageError) {
        try onWriter { [self] (connection) throws(StorageError) in
            guard detachments.load(ordering: .relaxed) == count else { return }
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(Erasure.isUnclean, 0)
            }
        }
    }

    private func onWriter(
        _ work: @Sendable (Connection) throws(StorageError) -> Void
    ) throws(StorageError) {
        try writer.perform(keepsCodes: true, work)
    }

    private func cleanFileLater() {
        later.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            // Closed, or a disk that fails: the next start does it.
            guard let self, let isClean = try? self.tryToCleanFile() else { return }
            if !isClean { self.cleanFileLater() }
        }
    }
}
