import Database
import Events
import Storage

/// Deletes events of stored batches, within a transaction that somebody else begins and ends, and keeps
/// what outlives them: a device's first completions. Its first seen and its being shared stand in its
/// row, and are left alone.
struct PruneSlice {
    let connection: Connection

    /// - Parameter events: rows, in order; those that are gone meanwhile do not matter
    /// - Returns: how many were deleted; and batches of which none was, since they are damaged
    func delete(
        _ events: ArraySlice<Int64>
    ) throws(StorageError) -> (events: Int64, damaged: [Int64]) {
        var completions = try KeptCompletions(connection)
        let delete = try connection.prepare("DELETE FROM event WHERE id = ?")
        let owner = try connection.prepare("SELECT app FROM batch WHERE id = ?")
        var fingerprints = try PrunedFingerprints(connection)
        let checksum = try BatchChecksum(connection)
        let notes = try DeletionNotes(connection)
        var apps: Set<Int64> = []
        var count: Int64 = 0
        var damaged: [Int64] = []
        var index = events.startIndex
        while index < events.endIndex {
            let batch = EventID(rawValue: events[index]).batch
            let before = count
            let rest = events[index...]
            let some = rest.prefix { EventID(rawValue: $0).batch == batch }
            index += some.count
            guard let first = some.first, let last = some.last else { break }
            // A fresh checksum would hide the damage.
            if let device = try checksum.device(ofBroken: batch) {
                // One that is being erased is another one's by its hash, and goes anyway.
                if try !UnfinishedErasures.devices(connection).contains(device) {
                    damaged.append(batch)
                }
                continue
            }
            try notes.note(first...last, ofBatch: batch)
            try fingerprints.begin(batch)
            for event in some {
                try completions.keep(event)
                try delete.bind(1, event)
                try delete.run()
                count += connection.changes
            }
            guard count > before else { continue }
            try checksum.refresh(batch: batch)
            try fingerprints.end()
            try owner.bind(1, batch)
            if try owner.step() { apps.insert(owner.int(0)) }
            owner.reset()
        }
        for app in apps.sorted() { try connection.noteRemoval(of: app) }
        return (count, damaged)
    }
}

/// Brings a stored batch's columns in line with the events it has left. On a connection that writes,
/// within the transaction that deleted some of them.
final class BatchChecksum {
    private let content: StoredContent
    private let update: Statement

    init(_ connection: Connection) throws(StorageError) {
        content = try StoredContent(connection)
        update = try connection.prepare(
            """
            UPDATE batch
            SET pruned = ?2, first_time = ?3, last_time = ?4, checksum = ?5,
                sessions = iif(?6, sessions, NULL), attribute_keys = iif(?6, attribute_keys, NULL)
            WHERE id = ?1
            """)
    }

    /// The row of the device of a batch that is not what was written; nil for one that is, or that is
    /// not there.
    func device(ofBroken number: Int64) throws(StorageError) -> Int64? {
        guard let found = try content.read(number), found.actual != found.checksum else {
            return nil
        }
        return found.device
    }

    /// Sets `pruned`, the span and the checksum; without events also the lists of texts to null. Does
    /// nothing where there is no such batch.
    func refresh(batch number: Int64) throws(StorageError) {
        guard let found = try content.read(number, asIfPruned: true) else { return }
        try update.bind(1, number)
        try update.bind(2, found.columns.pruned)
        try update.bind(3, found.columns.firstTime)
        try update.bind(4, found.columns.lastTime)
        try update.bind(5, found.actual)
        try update.bind(6, found.events > 0)
        try update.run()
    }
}
