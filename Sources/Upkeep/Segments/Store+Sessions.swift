import Database
import Storage

extension Store {
    /// Renews segments of the first form (`SessionRenewal`), some at a time, between two groups of the writer. What
    /// keeps it from its end leaves the rest to the next time.
    /// - Parameters:
    ///   - reached: the segment up to which all are renewed, at first 0
    ///   - connection: for reading, nobody else's meanwhile
    ///   - goesOn: is asked after each few segments
    /// - Returns: how many it has renewed; nil where some may be left
    package func renewSessions(
        after reached: inout Int64, on connection: Connection, while goesOn: () -> Bool
    ) throws(StorageError) -> Int? {
        if try SessionRenewal.isDone(connection) { return 0 }
        var count = 0
        while goesOn() {
            let before = reached
            let (renewed, last) = try connection.snapshot { () throws(StorageError) in
                try SessionRenewal.next(after: before, connection)
            }
            // Whatever is stored from now on is of the current form.
            let isDone = last == reached
            count += try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
                try connection.transaction { () throws(StorageError) in
                    if isDone { try SessionRenewal.setDone(connection) }
                    return try SessionRenewal.write(renewed, connection)
                }
            }
            if isDone { return count }
            reached = last
        }
        return nil
    }
}
