import Database
import Dispatch
import Sealing
import Synchronization

/// What a store's erasures and prunes know of each other (the room Upkeep does them). What they keep in memory has
/// mutexes of their own, which nobody holds for long. A prune waits for erasures within its own work; no erasure waits
/// for more of a prune than some stale days.
package final class UpkeepState: Sendable {
    /// One erasure at a time, but for the cleaning.
    package let erasures = SerialWork(label: "sojourn.store.erasures")
    /// One prune at a time.
    package let prunes = SerialWork(label: "sojourn.store.prunes")
    /// One rebuild of a group of stale days at a time, whether an erasure or a prune asks for it.
    package let rebuilds = SerialWork(label: "sojourn.store.rebuilds")
    /// Rows of erasures that failed, or are under way, by what their receipts call the devices: whoever asks
    /// for one again gets its result. They are few: each stays until it is asked for, or the end.
    package let unfinished = Mutex<[Digest256: Int64]>([:])
    /// Devices that were detached since the start. Changed on the writer's queue.
    package let detachments = Atomic(0)
    /// Pages whose gaps are to be overwritten, until that is on disk.
    package let scrubbing = Mutex<Set<Int>>([])
    /// Whether somebody is to try again what failed.
    package let isWaitingToRetry = Atomic(false)
    /// Where it is tried again after a while.
    package let retries = DispatchQueue(label: "sojourn.store.upkeep")
    /// How the store waits for readers of the WAL.
    package let polling: Polling

    /// Of a store that is being opened.
    init(polling: Polling) { self.polling = polling }
}
