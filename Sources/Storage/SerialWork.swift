import Database
import Dispatch
import Synchronization

/// Runs long work on a database one piece at a time; each caller waits until those before it have ended.
package final class SerialWork: Sendable {
    private let queue: DispatchQueue
    private let waiting = Atomic(0)

    /// Somebody waits for what is done now: what can be done later may give way.
    package var isAwaited: Bool { waiting.load(ordering: .relaxed) > 0 }

    /// Nobody works yet.
    package init(label: String) { queue = DispatchQueue(label: label) }

    /// Does the work on this thread when those before it have ended. Not to be nested. Throws what it
    /// throws.
    package func run<T>(
        _ work: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        dispatchPrecondition(condition: .notOnQueue(queue))
        waiting.add(1, ordering: .relaxed)
        let result = queue.sync {
            waiting.subtract(1, ordering: .relaxed)
            return Result { () throws(StorageError) in try work() }
        }
        return try result.get()
    }
}
