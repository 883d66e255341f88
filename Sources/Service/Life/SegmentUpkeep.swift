import Database
import Dispatch
import Logging
import Sockets
import Storage
import Synchronization
import Upkeep

/// Gives segments what they lack while the server runs, at low priority and when nothing crowds before the writer:
/// those that another program wrote their new column of sessions (docs/decisions/0063), and all their blocks of
/// attributes (docs/decisions/0058). Until then reports read events or rows.
final class SegmentUpkeep: Sendable {
    /// Milliseconds between two looks.
    private static let interval = 1_000
    /// Blocks are made once the newest segment has been the same for so many looks: beside ingest they would
    /// take memory and time.
    private static let restingLooks = 10
    /// After so many looks they are made all the same.
    private static let mostLooks = 60

    private let store: Store
    private let logger: Logging.Logger
    private let queue = DispatchQueue(label: "sojourn.segments", qos: .background)
    private let isClosed = Atomic(false)
    private let state = Mutex(State())
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    private struct State {
        /// Nobody else's; only on the queue.
        var connection: Connection?
        /// The newest segment when all had their blocks.
        var seen: [Int64]?
        /// The newest segment at the last look.
        var newest: [Int64]?
        /// For how many looks it has been that.
        var resting = 0
        /// Looks at which blocks were missing, since any were made.
        var waited = 0
        /// Segments that can have none.
        var refused: Set<AttributeBlocks.Missing> = []
        /// Whether all segments are of the current form, and else the one up to which they are.
        var isRenewed = false
        var renewedTo: Int64 = 0
        var hasFailed = false
    }

    /// Looks each second from now on. Reports that are asked right after the start come first.
    init(of store: Store, _ logger: Logging.Logger) {
        self.store = store
        self.logger = logger
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.look() }
        timer.schedule(
            deadline: .now() + .milliseconds(Self.interval),
            repeating: .milliseconds(Self.interval), leeway: .milliseconds(Self.interval / 4))
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Ends what is under way, and waits for that.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        timer.cancel()
        queue.sync {}
        state.withLock { $0.connection = nil }
    }

    private var goesOn: Bool { !isClosed.load(ordering: .relaxed) && !store.writer.isCrowded }

    private func opened() throws(StorageError) -> Connection {
        if let open = state.withLock({ $0.connection }) { return open }
        let fresh = try store.reader(cacheBytes: 1 << 20)
        state.withLock { $0.connection = fresh }
        return fresh
    }

    /// Whether blocks that are missing are to be made now.
    private func isTime(_ newest: [Int64]) -> Bool {
        state.withLock { state in
            state.resting = state.newest == newest ? state.resting + 1 : 0
            state.newest = newest
            state.waited += 1
            guard state.resting >= Self.restingLooks || state.waited >= Self.mostLooks else {
                return false
            }
            state.waited = 0
            return true
        }
    }

    /// Renews segments of the first form, unless all are renewed.
    private func areSessionsRenewed(on connection: Connection) throws(StorageError) -> Bool {
        var (isRenewed, reached) = state.withLock { ($0.isRenewed, $0.renewedTo) }
        if isRenewed { return true }
        let count = try store.renewSessions(after: &reached, on: connection) { goesOn }
        isRenewed = count != nil
        state.withLock { ($0.isRenewed, $0.renewedTo) = (isRenewed, reached) }
        guard let count else { return false }
        if count > 0 { logger.info("renewed the sessions of stored segments") }
        return true
    }

    private func look() {
        guard goesOn else { return }
        do throws(StorageError) {
            let connection = try opened()
            guard try areSessionsRenewed(on: connection) else { return }
            let newest = try AttributeBlocks.newest(connection)
            var (seen, refused) = state.withLock { ($0.seen, $0.refused) }
            guard seen != newest, isTime(newest) else { return }
            let made = try store.makeAttributeBlocks(
                on: connection, leavingOut: &refused, while: { goesOn })
            if made.isWhole { seen = newest }
            // What rows and texts took would stay with this process.
            if made.segments > 0 { AllocatorLimit.giveBackFreed() }
            let now = (seen, refused)
            state.withLock { ($0.seen, $0.refused, $0.hasFailed) = (now.0, now.1, false) }
        } catch {
            state.withLock { $0.connection = nil }
            // What is closed has logged why, or is at its end.
            if error.isClosed || isClosed.load(ordering: .relaxed) { return }
            let hadFailed = state.withLock { state in
                defer { state.hasFailed = true }
                return state.hasFailed
            }
            if !hadFailed { logger.warning("cannot renew segments: \(error)") }
        }
    }
}
