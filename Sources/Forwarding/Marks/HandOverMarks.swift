import Database
import Storage

/// How far the spool is handed over, as the node's database says: table `handed_over`.
package enum HandOverMarks {
    /// Milliseconds: marks of one minute are one row.
    private static let grain: Int64 = 60_000
    /// Among so many is the mark of the same minute: a node has tens of thousands.
    private static let newest = 16

    /// The row of the last batch up to which all are handed over; 0: none.
    static func last(_ connection: Connection) throws(StorageError) -> Int64 {
        try connection.integer("SELECT max(last_batch) FROM handed_over") ?? 0
    }

    /// When the last of them was, milliseconds since 1970; nil: none was. Others may seem to be later, by a clock
    /// that was set back.
    static func lastMoment(_ connection: Connection) throws(StorageError) -> Int64? {
        try connection.integers(
            "SELECT at FROM handed_over ORDER BY last_batch DESC LIMIT 1"
        ).first
    }

    /// Waits until a server that runs has handed over what is there now, two seconds at most.
    package static func wait(
        on connection: Connection, polling: Polling = .system
    ) throws(StorageError) {
        let newest = try connection.integer("SELECT max(id) FROM batch") ?? 0
        _ = try polling.first(every: 50, for: 2_000) { () throws(StorageError) in
            try last(connection) >= newest ? true : nil
        }
    }

    /// The row of the last batch that was handed over at a moment or before; 0: none.
    package static func last(
        at moment: Int64, _ connection: Connection
    ) throws(StorageError) -> Int64 {
        try connection.integers(
            "SELECT coalesce(max(last_batch), 0) FROM handed_over WHERE at <= ?1", moment
        ).first ?? 0
    }

    /// Marks that one transaction forgets.
    private static let marksAtOnce = 1_024

    /// Forgets marks of batches that are not here any more, all before one, some at a time.
    package static func tidyUp(before batch: Int64, _ store: Store) throws(StorageError) {
        var count: Int64
        repeat {
            count = try store.writer.perform(keepsCodes: true) {
                (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    try connection.change(
                        """
                        DELETE FROM handed_over WHERE last_batch IN (
                            SELECT last_batch FROM handed_over WHERE last_batch < ?1
                            ORDER BY last_batch LIMIT \(marksAtOnce))
                        """, batch)
                }
            }
        } while count == Int64(marksAtOnce)
    }

    /// Writes down that all batches up to one are handed over.
    static func note(
        _ batch: Int64, at now: Int64, _ connection: Connection
    ) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            try connection.change(
                """
                DELETE FROM handed_over WHERE at / \(grain) = ?2 / \(grain) AND last_batch IN (
                    SELECT last_batch FROM handed_over WHERE last_batch <= ?1
                    ORDER BY last_batch DESC LIMIT \(newest))
                """, batch, now)
            try connection.change(
                "INSERT OR REPLACE INTO handed_over (last_batch, at) VALUES (?1, ?2)", batch, now)
        }
    }

    /// From now on what was handed over after a moment counts as not handed over, nor do sums of that time. Sums are
    /// noted before marks go, some at a time: one that counts as changed for nothing does no harm.
    /// - Parameter connection: one that writes, in no transaction, for whose transactions nobody waits
    /// - Returns: the row of the last batch that still counts
    static func takeBack(
        after moment: Int64, _ connection: Connection
    ) throws(StorageError) -> Int64 {
        try ChangedSums.note(from: moment, connection) { (work) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in try work(connection) }
        }
        return try takeBackMarks(after: moment, connection)
    }

    /// The same by the store's writer.
    static func takeBack(after moment: Int64, _ store: Store) throws(StorageError) -> Int64 {
        try ChangedSums.note(from: moment, store)
        return try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try takeBackMarks(after: moment, connection)
        }
    }

    private static func takeBackMarks(
        after moment: Int64, _ connection: Connection
    ) throws(StorageError) -> Int64 {
        try connection.transaction { () throws(StorageError) in
            // By a clock that was set back later ones may have less.
            try connection.change(
                """
                DELETE FROM handed_over WHERE last_batch >=
                    (SELECT min(last_batch) FROM handed_over WHERE at > ?1)
                """, moment)
            return try last(connection)
        }
    }

    /// From now on nothing that arrived or was handed over from a moment on counts as handed over, nor do sums
    /// of that time.
    /// - Parameters:
    ///   - moment: milliseconds since 1970; nil: all
    ///   - connection: one that writes, in no transaction, for whose transactions nobody waits
    package static func takeBack(
        from moment: Int64?, _ connection: Connection
    ) throws(StorageError) {
        try ChangedSums.note(from: moment, connection) { (work) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in try work(connection) }
        }
        try takeBackMarks(from: moment, firstArrived: nil, connection)
    }

    /// The same of all by the store's writer.
    static func takeBackAll(_ store: Store) throws(StorageError) {
        try ChangedSums.note(from: nil, store)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try takeBackMarks(from: nil, firstArrived: nil, connection)
        }
    }

    /// - Parameter batch: the first that arrived from then on, if that is known
    private static func takeBackMarks(
        from moment: Int64?, firstArrived batch: Int64?, _ connection: Connection
    ) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            var first: Int64 = 0
            if let moment {
                first =
                    if let batch { batch } else { try firstBatch(arrivedFrom: moment, connection) }
                // What had waited until then.
                let later =
                    try connection.integers(
                        "SELECT min(last_batch) FROM handed_over WHERE at >= ?1", moment
                    ).first ?? 0
                if later > 0 {
                    let before =
                        try connection.integers(
                            "SELECT max(last_batch) FROM handed_over WHERE last_batch < ?1", later
                        ).first ?? 0
                    first = min(first, before + 1)
                }
            }
            let kept = try connection.integers(
                "SELECT max(last_batch) FROM handed_over WHERE last_batch < ?1", first
            ).first
            let last = try self.last(connection)
            let at = try lastMoment(connection)
            try connection.change("DELETE FROM handed_over WHERE last_batch >= ?1", first)
            // Between the last mark and the first batch of that time.
            if let at, first > 1, last >= first, (kept ?? 0) < first - 1 {
                try connection.change(
                    "INSERT OR REPLACE INTO handed_over (last_batch, at) VALUES (?1, ?2)",
                    first - 1, at)
            }
        }
    }

    /// The same by the store's writer, which waits for no search, because of what an engine may have lost or
    /// have again: erasures from that moment on are carried out there once more.
    /// - Parameter reset: called on the writer's thread, before sums are noted and as marks go: what was sent before
    ///   is not to be noted as handed over any more
    package static func again(
        from moment: Int64?, _ store: Store, reset: @escaping @Sendable () -> Void = {}
    ) throws(StorageError) {
        var arrived: Int64?
        if let moment { arrived = try firstBatch(arrivedFrom: moment, store.reader()) }
        let first = arrived
        try store.writer.perform(keepsCodes: true) { _ in reset() }
        try ChangedSums.note(from: moment, store)
        try store.writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try OwedErasures.owe(from: moment ?? 0, connection)
            }
            try takeBackMarks(from: moment, firstArrived: first, connection)
            reset()
        }
    }

    /// The row of the first batch that arrived at a moment or later, or else of the first that is still to come.
    private static func firstBatch(
        arrivedFrom moment: Int64, _ connection: Connection
    ) throws(StorageError) -> Int64 {
        // Rows follow arrival but for what overtook on the way to the writer.
        try connection.integers(
            """
            SELECT coalesce((SELECT min(id) FROM batch WHERE received_at >= ?1),
                1 + max(coalesce((SELECT max(id) FROM batch), 0),
                    coalesce((SELECT max(last_batch) FROM handed_over), 0)))
            """, moment
        ).first ?? 1
    }
}
