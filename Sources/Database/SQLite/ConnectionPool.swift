import Synchronization

/// Connections for reading that are lent and come back, up to a number. From any thread.
package final class ConnectionPool: Sendable {
    private struct State {
        /// How many are lent.
        var lent = 0
        var idle: [Connection] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int
    private let open: @Sendable () throws(StorageError) -> Connection

    /// - Parameters:
    ///   - limit: how many there are at most, lent and idle
    ///   - open: opens one for reading
    package init(
        limit: Int, open: @escaping @Sendable () throws(StorageError) -> Connection
    ) {
        self.limit = limit
        self.open = open
    }

    /// Calls `body` with a connection on one state of the database, the newest. Throws what `body` throws.
    /// - Returns: nil where none is free or can be opened, or the pool is closed: `body` was not called
    package func lend<T>(
        _ body: (Connection) throws(StorageError) -> T
    ) throws(StorageError) -> T? {
        guard let connection = (try? take()) ?? nil else { return nil }
        defer { put(connection) }
        guard (try? connection.execute("BEGIN")) != nil else { return nil }
        return try body(connection)
    }

    /// Closes those that are idle, and each other one when it comes back. None is lent any more.
    package func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        withExtendedLifetime(idle) {}
    }

    /// One that is the caller's until it is `put` back; an idle one, else a new one. Throws where none can be
    /// opened.
    /// - Returns: nil where as many as the limit are lent, or the pool is closed
    package func take() throws(StorageError) -> Connection? {
        let (isFree, kept) = state.withLock { state in
            guard state.lent < limit, !state.isClosed else { return (false, Connection?.none) }
            state.lent += 1
            return (true, state.idle.popLast())
        }
        if !isFree || kept != nil { return kept }
        do throws(StorageError) {
            return try open()
        } catch {
            state.withLock { $0.lent -= 1 }
            throw error
        }
    }

    /// Gives one back, in whatever state.
    package func put(_ connection: Connection) {
        // The end of a transaction can be interrupted too: what is left in one is closed.
        connection.rollBack()
        state.withLock { state in
            state.lent -= 1
            if !state.isClosed, !connection.isInTransaction { state.idle.append(connection) }
        }
    }
}
