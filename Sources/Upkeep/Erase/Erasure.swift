import Database
import Glibc
import SQLiteFiles
import Sealing
import Storage

/// Takes a detached device apart, step by step: what is searched for is searched for by a connection
/// that reads, what is deleted is deleted in short transactions.
package struct Erasure {
    /// Sees what the steps have done.
    private let reader: Connection
    /// Serializes rebuilds of stale days with those of the store's prunes; nil if no store is open: then
    /// nobody waits for the steps.
    private let rebuilds: SerialWork?
    private let steps: any StepRunner

    init(reader: Connection, rebuilds: SerialWork?, steps: any StepRunner) {
        (self.reader, self.rebuilds, self.steps) = (reader, rebuilds, steps)
    }

    /// - Parameter codes: what only it may have used
    func finish(_ device: Int64, _ codes: UnusedCodes) throws(StorageError) -> ErasedDevice {
        var total = ErasedDevice()
        var pace = rebuilds == nil ? SlicePace.unhurried : SlicePace()
        if let split = try DeviceSplit.unfinished(device, reader) {
            try split.carryOut(by: steps, reader, &pace)
        }
        try deleteRepeats(of: device, &pace)
        let search = ErasureSearch(device: device, connection: reader)
        try deleteBatches(search, &pace, &total)
        while try search.hasCompletions() {
            try step(&pace) { [weight = pace.weight] (erasure) throws(StorageError) in
                try erasure.deleteCompletions(of: device, maxWeight: weight)
            }
        }
        try rebuildStaleDays()
        var unused = codes
        let deleted = try unused.delete(by: steps, reader, &pace)
        total.names += deleted.words
        total.resources += deleted.resources
        _ = try steps.step(keeping: .none) { (connection) throws(StorageError) in
            try DeviceErasure(connection: connection).deleteDevice(device)
        }
        return total
    }

    private func deleteRepeats(
        of device: Int64, _ pace: inout SlicePace
    ) throws(StorageError) {
        var repeats = try RepeatRow.all(of: device, reader)[...]
        while !repeats.isEmpty {
            let some = repeats.prefix(pace.weight)
            repeats = repeats.dropFirst(some.count)
            try step(&pace) { (erasure) throws(StorageError) in
                try erasure.delete(repeats: some, of: device)
            }
        }
    }

    /// Those that may not be in `repeat_key` go first, of which only their rows have their devices: or some might be
    /// entered, and the table's reach pass by, between the two searches.
    private func deleteBatches(
        _ search: ErasureSearch, _ pace: inout SlicePace, _ total: inout ErasedDevice
    ) throws(StorageError) {
        var last: Int64 = 0
        while true {
            let some = try search.newest(after: last)
            guard let end = some.last else { break }
            try delete(some[...], of: search.device, &pace, &total)
            last = end.row
        }
        while true {
            let some = try search.entered()
            if some.isEmpty { break }
            try delete(some[...], of: search.device, &pace, &total)
        }
    }

    private func delete(
        _ batches: ArraySlice<ErasureSearch.Batch>, of device: Int64, _ pace: inout SlicePace,
        _ total: inout ErasedDevice
    ) throws(StorageError) {
        var rest = batches
        while !rest.isEmpty {
            let (erased, count) = try step(&pace) {
                [rest, weight = pace.weight] (erasure) throws(StorageError) in
                try erasure.deleteBatches(rest, of: device, maxWeight: weight)
            }
            total.add(erased)
            rest = rest.dropFirst(count)
        }
    }

    /// At its end no segment is left that has something of the device.
    private func rebuildStaleDays() throws(StorageError) {
        func inTurn(
            _ work: () throws(StorageError) -> Bool
        ) throws(StorageError) -> Bool {
            if let rebuilds { try rebuilds.run(work) } else { try work() }
        }
        try StaleDays.rebuildAll(reader, inTurn: inTurn) { (work) throws(StorageError) in
            try steps.step(keeping: .all, work).result
        }
    }

    /// A step of deletions, by which the next ones are measured.
    @discardableResult
    private func step<T: Sendable>(
        _ pace: inout SlicePace, _ work: @Sendable (DeviceErasure) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        let (result, time) = try steps.step(keeping: .all) { (connection) throws(StorageError) in
            try work(DeviceErasure(connection: connection))
        }
        pace.took(time)
        return result
    }

    /// Erases what the receipts name, as far as it arrived before their moments, and finishes what had
    /// begun; notes that a file of just these receipts has been carried out. Ends with a truncating
    /// checkpoint.
    /// - Parameter connection: one that writes, in no transaction, alone on its file
    /// - Returns: how many devices were erased
    @discardableResult
    package static func replay(
        _ receipts: [ErasureReceipt], on connection: Connection
    ) throws(StorageError) -> Int {
        let count = try takeApart(
            receipts, end: ErasureReceipts.byteCount(receipts), lost: 0, on: connection)
        try clean(connection, patience: Connection.busyTimeout)
        return count
    }

    /// Notes that the next start is to carry out the file `erased` from its begin. Ends with a truncating
    /// checkpoint.
    /// - Returns: nil: nobody knows how many devices that will be
    static func leaveToStart(on connection: Connection) throws(StorageError) -> Int? {
        try connection.transaction { () throws(StorageError) in
            try connection.setFact(erasedBytes, 0)
        }
        try connection.checkpoint(.truncate)
        return nil
    }

    /// At the start: what the file `erased` has that the database has not carried out, and what a crash
    /// has left half done. A reader that blocks the WAL blocks no start.
    /// - Parameter patience: for how long it waits for one, milliseconds
    /// - Returns: false where the file is still to be cleaned
    static func catchUp(
        _ directory: DataDirectory, patience: Int32
    ) throws(StorageError) -> Bool {
        let connection = try Connection(path: directory.database, mode: .read)
        let done = try connection.fact(erasedBytes) ?? 0
        let lost = try connection.fact(lostBytes) ?? 0
        let size = try FileSystem.status(of: directory.erased).map { Int64($0.st_size) } ?? 0
        // A file that is shorter than what was carried out is another one; and nobody knows where in it
        // lines that were lost are put back.
        let isOther = size < done || lost > 0
        let (receipts, end) = try ErasureReceipts.read(
            directory.erased, from: isOther ? 0 : done)
        let begun = try DeviceErasure(connection: connection).begun()
        let isUnclean = try connection.fact(isUnclean) ?? 0 != 0
        if receipts.isEmpty, begun.isEmpty, !isUnclean, !isOther { return true }
        let writing = try Connection(path: directory.database, mode: .write, through: WALBuffer())
        try takeApart(receipts, end: end, lost: max(done + lost - end, 0), on: writing)
        do throws(StorageError) {
            try clean(writing, patience: patience)
            return true
        } catch {
            guard error.kind == .busy else { throw error }
            return false
        }
    }

    /// The fact of `meta` with how much of the file `erased` has been carried out.
    static let erasedBytes = "erased_octets"
    /// The fact with how many bytes that had been carried out are missing from the file `erased`,
    /// so that `verify` reports it also for a file to which more was appended.
    static let lostBytes = "erased_lost"
    /// The fact that is 1 where moved rows may have left something in the file.
    static let isUnclean = "erasure_unclean"

    @discardableResult
    private static func takeApart(
        _ receipts: [ErasureReceipt], end: Int64, lost: Int64, on connection: Connection
    ) throws(StorageError) -> Int {
        let steps = DeviceErasure(connection: connection)
        let run = Erasure(reader: connection, rebuilds: nil, steps: SoleWriter(connection))
        var count = 0
        for device in try steps.begun() {
            // What it used is known only of the batches that are left: so every code is a candidate.
            _ = try run.finish(device, .all(connection))
            count += 1
        }
        for device in try named(by: receipts, connection) {
            let detached = try connection.transaction { () throws(StorageError) in
                try steps.detach(app: device.app, hash: device.hash, before: device.moment)
            }
            guard let detached else { continue }
            _ = try run.finish(detached, .candidates(of: detached, connection))
            count += 1
        }
        try connection.transaction { () throws(StorageError) in
            try connection.setFact(erasedBytes, end)
            try noteLost(lost, on: connection)
            try connection.setFact(isUnclean, 1)
        }
        return count
    }

    /// In a transaction.
    static func noteLost(_ lost: Int64, on connection: Connection) throws(StorageError) {
        if try connection.fact(lostBytes) ?? 0 != lost {
            try connection.setFact(lostBytes, lost)
        }
    }

    private static func clean(
        _ connection: Connection, patience: Int32
    ) throws(StorageError) {
        try connection.execute("PRAGMA incremental_vacuum")
        try connection.checkpoint(.truncate, patience: patience)
        let scrub = FileScrub(connection)
        try scrub.clean(try scrub.pages()[...], patience: patience)
        try connection.transaction { () throws(StorageError) in
            try connection.setFact(isUnclean, 0)
        }
        try connection.checkpoint(.truncate, patience: patience)
    }

    /// A device that a receipt names.
    struct NamedDevice: Sendable {
        /// Row of its app, and its name.
        let app: Int64
        let appName: String
        let hash: [UInt8]
        /// What the receipt calls it.
        let subject: Digest256
        /// That of the last receipt.
        let moment: Int64
    }

    /// The devices that receipts name, found by hashing all there are.
    static func named(
        by receipts: [ErasureReceipt], _ connection: Connection
    ) throws(StorageError) -> [NamedDevice] {
        if receipts.isEmpty { return [] }
        let moments = Dictionary(receipts.map { ($0.subject, $0.moment) }, uniquingKeysWith: max)
        let rows = try connection.prepare(
            "SELECT app.id, app.name, hash FROM device JOIN app ON app.id = device.app")
        var found: [NamedDevice] = []
        while try rows.step() {
            let hash = rows.blob(2)
            let subject = ErasureReceipt.subject(app: rows.text(1), device: hash)
            if let moment = moments[subject] {
                found.append(
                    NamedDevice(
                        app: rows.int(0), appName: rows.text(1), hash: hash, subject: subject,
                        moment: moment))
            }
        }
        return found
    }
}
