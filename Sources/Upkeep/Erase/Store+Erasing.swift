import Database
import Events
import Sealing
import Storage

extension Store {
    /// Erases a device: its receipt first, on disk; then everything there is of it. What arrives of it
    /// from then on is a new device's. Other work goes on meanwhile.
    /// - Returns: nil where the app has no such device
    /// - Throws: what keeps it from writing. What has begun then continues by itself; a caller that asks again
    ///   gets its result.
    package func erase(_ device: DeviceHash, of app: App) throws(StorageError) -> ErasedDevice? {
        let subject = ErasureReceipt.subject(app: app.name, device: device.bytes)
        do throws(StorageError) {
            let taken = try upkeep.erasures.run {
                () throws(StorageError) -> (erased: ErasedDevice, row: Int64)? in
                let found = try find(device, app, reader())?.row
                let known = upkeep.unfinished.withLock { unfinished in
                    if let found { unfinished[subject] = found }
                    return unfinished[subject]
                }
                guard let row = known else { return nil }
                let isNew = try detach(device, of: app) != nil
                let erased = try isNew ? takeApart(row) : takeApartAgain(row)
                // Others that failed: they go on by themselves if they still do.
                try? takeApartBegun()
                return (erased, row)
            }
            guard let (found, row) = taken else { return nil }
            var erased = found
            erased.isClean = try clean()
            retryIfStale()
            upkeep.unfinished.withLock { unfinished in
                // The device may be back, and another erasure of it under way.
                if unfinished[subject] == row { unfinished[subject] = nil }
            }
            return erased
        } catch {
            retryLater()
            throw error
        }
    }

    /// Whether many devices are known to send a device's id (docs/protocol.md, Device identity); false where the app
    /// has no such device.
    package func isShared(_ device: DeviceHash, of app: App) throws(StorageError) -> Bool {
        let reader = try reader()
        defer { withExtendedLifetime(reader) {} }
        let row = try reader.prepare("SELECT shared FROM device WHERE app = ? AND hash = ?")
        try row.bind(1, app.id)
        try row.bindBlob(2, device.bytes)
        return try row.step() && row.int(0) != 0
    }

    /// When a device was last erased, as its receipt has it, milliseconds since 1970; nil without one.
    package func lastErasure(of device: DeviceHash, of app: App) throws(StorageError) -> Int64? {
        try ErasureReceipts.last(
            of: ErasureReceipt.subject(app: app.name, device: device.bytes), in: directory.erased)
    }

    /// The first step: the receipt, then the device is a new one.
    /// - Returns: the row that is to be taken apart; nil where the app has no such device
    func detach(_ device: DeviceHash, of app: App) throws(StorageError) -> Int64? {
        guard let found = try find(device, app, reader()) else { return nil }
        // Whatever the clock shows, the receipt covers all that is there.
        let moment = max(now(), found.newest) + 1
        let lines = try ErasureReceipts.append(
            [ErasureReceipt(app: app.name, device: device, moment: moment)], to: directory.erased)
        // The writer must forget the device's row, and so what it remembers of codes.
        return try writer.perform { [self] (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try noteReceipts(lines, on: connection)
                return try DeviceErasure(connection: connection).detach(
                    app: app.id, hash: device.bytes, before: nil)
            }
        }
    }

    /// Notes, in the transaction that carries them out, that receipts are.
    /// - Parameter lines: where they stand in the file
    func noteReceipts(
        _ lines: Range<Int64>, on connection: Connection
    ) throws(StorageError) {
        // A receipt before it whose erasure failed is still to be carried out: the next start does it, from
        // there on.
        let done = try connection.fact(Erasure.erasedBytes) ?? 0
        if done >= lines.lowerBound {
            // What had been carried out was there, and is not any more.
            let lost = try connection.fact(Erasure.lostBytes) ?? 0
            try Erasure.noteLost(lost + done - lines.lowerBound, on: connection)
            try connection.setFact(Erasure.erasedBytes, lines.upperBound)
        }
        try connection.setFact(Erasure.isUnclean, 1)
        upkeep.detachments.add(1, ordering: .relaxed)
    }

    /// Deletes a detached device's rows, then scrubs free pages.
    func finish(_ detached: Int64) throws(StorageError) -> ErasedDevice {
        var erased = try takeApart(detached)
        erased.isClean = try clean()
        return erased
    }

    /// What failed or a crash has left, row by row.
    func takeApartBegun() throws(StorageError) {
        for row in try DeviceErasure(connection: reader()).begun() { _ = try takeApartAgain(row) }
    }

    func takeApart(_ row: Int64) throws(StorageError) -> ErasedDevice {
        try takeApart(row, .candidates(of: row, reader()))
    }

    /// - Returns: what was still there: nothing, where it has ended by itself
    private func takeApartAgain(_ row: Int64) throws(StorageError) -> ErasedDevice {
        let reader = try reader()
        // The row's number may be another device's by now.
        guard try DeviceErasure(connection: reader).begun().contains(row) else {
            return ErasedDevice()
        }
        // What it used is known only of the batches that are left: so every code is a candidate.
        return try takeApart(row, .all(reader))
    }

    private func takeApart(
        _ row: Int64, _ codes: UnusedCodes
    ) throws(StorageError) -> ErasedDevice {
        let run = Erasure(reader: try reader(), rebuilds: upkeep.rebuilds, steps: writer)
        return try run.finish(row, codes)
    }

    /// A device's row, and when the newest of its batches arrived, milliseconds; 0 without any. Nil
    /// where there is no such device.
    private func find(
        _ device: DeviceHash, _ app: App, _ connection: Connection
    ) throws(StorageError) -> (row: Int64, newest: Int64)? {
        let row = try connection.prepare("SELECT id FROM device WHERE app = ? AND hash = ?")
        try row.bind(1, app.id)
        try row.bindBlob(2, device.bytes)
        guard try row.step() else { return nil }
        let newest = try connection.prepare(
            """
            SELECT max(b.received_at) FROM device_batch AS k CROSS JOIN batch AS b
            WHERE k.device = ? AND b.id = k.batch
            """)
        try newest.bind(1, row.int(0))
        return (row.int(0), try newest.step() ? newest.int(0) : 0)
    }
}

extension Store {
    /// Opens a store, carries out erasures that have a receipt and are not done yet, and resumes
    /// what an erasure or a prune has left unfinished.
    /// - Throws: as `Store.init` does
    package static func open(_ options: Options) throws(StorageError) -> Store {
        var isClean = true
        let store = try Store(options) { (directory, patience) throws(StorageError) in
            isClean = try Erasure.catchUp(directory, patience: patience)
        }
        // A prune may have been stopped midway.
        let hasStaleDays = try store.hasStaleDays()
        if !isClean || hasStaleDays { store.retryLater() }
        return store
    }
}

/// What an erasure removed.
package struct ErasedDevice: Sendable, Equatable {
    /// Stored batches.
    package var batches: Int64 = 0
    /// Their events, as far as no prune had deleted them.
    package var events: Int64 = 0
    /// Names of events, keys of attributes, and combinations of device properties, that no other device
    /// used.
    package var names: Int64 = 0
    package var resources: Int64 = 0
    /// Nothing of it is in the WAL or in the gaps of the file either. False while a reader blocks the
    /// WAL: the store then retries by itself.
    package var isClean = true

    /// Adds what a further step removed.
    mutating func add(_ other: ErasedDevice) {
        batches += other.batches
        events += other.events
        names += other.names
        resources += other.resources
    }
}
