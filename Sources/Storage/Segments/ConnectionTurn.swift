import Database
import Synchronization

/// Lets threads use one connection one after the other, where several lists or scans that use it are in
/// progress at once.
package final class ConnectionTurn: Sendable {
    private let lock = Mutex(())

    /// Nobody uses it yet.
    package init() {}

    /// Calls `body` while nobody else does. Not to be nested. Throws what `body` throws.
    package func take<T: Sendable>(
        _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        try lock.withLock { (_) throws(StorageError) in try body() }
    }
}
