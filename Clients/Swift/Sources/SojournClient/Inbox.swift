import Core

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Calls between their making and the client's queue. All that a call costs is to be put here: a lock
/// around an append to memory, never around a file.
final class Inbox: Sendable {
    /// What was called since the last time.
    struct Batch {
        var calls: [TimedCall] = []
        /// Calls that found no room.
        var dropped: Int64 = 0
    }

    /// Calls that are held before `start`: then the oldest goes.
    static let capacityBeforeStart = 1000
    /// Calls that are held after it: then the newest goes.
    static let capacity = 10_000

    private struct State {
        var batch = Batch()
        var isStarted = false
        var isScheduled = false
        var isEnabled = true
        /// Nobody knows when something can be taken: whoever calls back need not wait for that.
        var isStuck = false
        /// Records that were taken and are being appended: they are in memory, too.
        var taken = 0

        /// - Returns: whether the queue has to be told, and a call that found no room.
        mutating func put(_ entry: TimedCall) -> (isNeeded: Bool, refused: Call?) {
            var refused: Call?
            if entry.call.isRecord {
                guard isEnabled else { return (false, entry.call) }
                if isStarted, batch.calls.count + taken >= Inbox.capacity {
                    batch.dropped += 1
                    return (false, entry.call)
                }
                if !isStarted, batch.calls.count >= Inbox.capacityBeforeStart,
                    let oldest = batch.calls.firstIndex(where: \.call.isRecord)
                {
                    refused = batch.calls.remove(at: oldest).call
                    batch.dropped += 1
                }
            }
            batch.calls.append(entry)
            guard isStarted, !isScheduled else { return (false, refused) }
            isScheduled = true
            return (true, refused)
        }

        /// Deletes what was recorded and not yet taken.
        /// - Returns: the calls.
        mutating func deleteRecords() -> [TimedCall] {
            let deleted = batch.calls.filter(\.call.isRecord)
            batch.calls.removeAll(where: \.call.isRecord)
            batch.dropped = 0
            return deleted
        }
    }

    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let state: UnsafeMutablePointer<State>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    private func locked<R>(_ body: (inout State) -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state.pointee)
    }

    /// Puts a call in.
    /// - Returns: whether the queue has to be told: nobody has told it since it was last empty.
    func put(_ call: Call) -> Bool {
        var entry = TimedCall(call, at: SystemClock.monotonic())
        let (told, isNeeded, refused) = locked { state in
            let told = state.isStuck ? entry.call.release(isStuck: true) : nil
            let (isNeeded, refused) = state.put(entry)
            return (told, isNeeded, refused)
        }
        refused?.refuse()
        told?()
        return isNeeded
    }

    /// From now on the queue takes what comes.
    func start() {
        locked {
            $0.isStarted = true
            $0.isScheduled = true
            $0.isStuck = false
        }
    }

    /// What was called since; nil where nothing was: the next `put` tells the queue again.
    func take() -> Batch? {
        locked { state in
            state.isStuck = false
            state.taken = state.batch.calls.count
            guard !state.batch.calls.isEmpty || state.batch.dropped > 0 else {
                state.isScheduled = false
                return nil
            }
            let batch = state.batch
            state.batch = Batch()
            return batch
        }
    }

    /// Deletes what was recorded and not yet taken, and then puts a call in.
    func clear(_ call: Call, isEnabled: Bool? = nil) -> Bool {
        let deleted = locked { state in
            if let isEnabled { state.isEnabled = isEnabled }
            return state.deleteRecords()
        }
        for entry in deleted { entry.call.refuse() }
        return put(call)
    }

    /// An earlier launch was told to record nothing. Where this one was told otherwise already, that holds:
    /// what was called before it is not recorded when it is taken.
    func isOff() {
        let deleted = locked { state in
            let isTold = state.batch.calls.contains {
                if case .enable = $0.call { true } else { false }
            }
            guard !isTold else { return [TimedCall]() }
            state.isEnabled = false
            return state.deleteRecords()
        }
        for entry in deleted { entry.call.refuse() }
    }

    /// While nothing can be taken: those that wait for an upload or the end of the process need not wait.
    ///
    /// - Parameter isStuck: Whether nobody knows when something can be: until then nobody waits.
    func release(isStuck: Bool) {
        let told = locked { state in
            if isStuck { state.isStuck = true }
            var told: [@Sendable () -> Void] = []
            for index in state.batch.calls.indices {
                if let then = state.batch.calls[index].call.release(isStuck: isStuck) {
                    told.append(then)
                }
            }
            return told
        }
        for then in told { then() }
    }

    var isEnabled: Bool {
        get { locked { $0.isEnabled } }
        set { locked { $0.isEnabled = newValue } }
    }
}
