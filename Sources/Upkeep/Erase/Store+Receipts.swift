import Database
import Events
import Sealing
import Storage

/// A device that is erased at all nodes.
package struct ReceiptedDevice: Sendable, Equatable {
    /// The app's name.
    package let app: String
    package let device: DeviceHash
    /// What arrived before is erased; milliseconds since 1970-01-01T00:00:00Z.
    package let moment: Int64

    /// All of it as given.
    package init(app: String, device: DeviceHash, moment: Int64) {
        (self.app, self.device, self.moment) = (app, device, moment)
    }
}

extension Store {
    /// All receipts of erasures that this store has carried out, the oldest first.
    package func receipts() throws(StorageError) -> [ErasureReceipt] {
        try ErasureReceipts.merged([directory.erased])
    }

    /// Erases what receipts of other nodes name, as far as it arrived before their moments, and keeps the
    /// receipts. Other work goes on meanwhile.
    /// - Returns: the devices that were there
    /// - Throws: what keeps it from writing; what has begun then continues by itself
    package func carryOut(
        _ receipts: [ErasureReceipt]
    ) throws(StorageError) -> [ReceiptedDevice] {
        let known = Set(try self.receipts())
        let new = receipts.filter { !known.contains($0) }
        if new.isEmpty { return [] }
        do throws(StorageError) {
            let erased = try upkeep.erasures.run { () throws(StorageError) in
                var erased: [ReceiptedDevice] = []
                let named = Dictionary(
                    grouping: try Erasure.named(by: new, reader()), by: \.subject)
                // Of most there is nothing here: all at once.
                try carryOut(new.filter { named[$0.subject] == nil }, of: [])
                for receipt in new {
                    guard let devices = named[receipt.subject] else { continue }
                    erased += try carryOut([receipt], of: devices)
                }
                return erased
            }
            if !erased.isEmpty { _ = try clean() }
            return erased
        } catch {
            retryLater()
            throw error
        }
    }

    /// - Parameter devices: that the receipt names; none where there are several receipts
    @discardableResult
    private func carryOut(
        _ receipts: [ErasureReceipt], of devices: [Erasure.NamedDevice]
    ) throws(StorageError) -> [ReceiptedDevice] {
        guard let moment = receipts.first?.moment else { return [] }
        let looks = try look(at: devices, around: moment)
        let lines = try ErasureReceipts.append(receipts, to: directory.erased)
        let rows = try writer.perform { [self] (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try noteReceipts(lines, on: connection)
                var rows: [(device: Erasure.NamedDevice, row: Int64)] = []
                for (device, look) in looks {
                    let row = try DeviceErasure(connection: connection).detach(
                        app: device.app, hash: device.hash, before: moment, look)
                    if let row { rows.append((device, row)) }
                }
                return rows
            }
        }
        var erased: [ReceiptedDevice] = []
        for (device, row) in rows {
            _ = try takeApart(row)
            guard let hash = DeviceHash(device.hash.span) else { continue }
            erased.append(
                ReceiptedDevice(app: device.appName, device: hash, moment: moment))
        }
        return erased
    }

    /// Those that are there, and what they have before and after a moment: not on the writer.
    private func look(
        at devices: [Erasure.NamedDevice], around moment: Int64
    ) throws(StorageError) -> [(device: Erasure.NamedDevice, ages: DeviceAges)] {
        let reader = try reader()
        let find = try reader.prepare("SELECT id FROM device WHERE app = ? AND hash = ?")
        var looks: [(device: Erasure.NamedDevice, ages: DeviceAges)] = []
        for device in devices {
            try find.bind(1, device.app)
            try find.bindBlob(2, device.hash)
            defer { find.reset() }
            guard try find.step() else { continue }
            looks.append((device, try DeviceAges(find.int(0), around: moment, reader)))
        }
        return looks
    }
}
