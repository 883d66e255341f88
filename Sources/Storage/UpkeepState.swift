import Database
import Dispatch
import Sealing
import Synchronization

/// What a store's erasures and prunes know of each other (the room Upkeep does them).
package final class UpkeepState: Sendable {
    /// One erasure at a time, but for the cleaning. Rows of those that failed, by what their receipts
    /// call the devices.
    package let erasures = Mutex<[Digest256: Int64]>([:])
    /// Devices that were detached since the start. Changed on the writer's queue.
    package let detachments = Atomic(0)
    /// Pages whose gaps are to be overwritten, until that is on disk.
    package let scrubbing = Mutex<Set<Int>>([])
    /// One prune at a time.
    package let prunes = Mutex(())
    /// Whether somebody is to try again what failed.
    package let isWaitingToRetry = Atomic(false)
    /// Where it is tried again after a while.
    package let retries = DispatchQueue(label: "sojourn.store.upkeep")
    /// How readers of the log are waited for.
    package let polling: Polling

    /// Of a store that is being opened.
    init(polling: Polling) { self.polling = polling }
}
