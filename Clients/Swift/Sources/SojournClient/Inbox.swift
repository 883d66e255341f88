import Core

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Holds calls until the client's queue takes them. A call costs the app one append to memory under a lock, never
/// a file.
final class Inbox: Sendable {
    /// The calls since the last `take`.
    struct Batch {
        var calls: [TimedCall] = []
        /// How many records were dropped for lack of room.
        var dropped: Int64 = 0
    }

    /// The most calls that are held before `start`; beyond it the oldest record is dropped.
    static let capacityBeforeStart = 1000
    /// The most calls that are held after `start`; beyond it the newest record is dropped.
    static let capacity = 10_000

    private struct State {
        var batch = Batch()
        var isStarted = false
        var isScheduled = false
        var isEnabled = true
        /// The queue cannot take anything, and does not know when it can: calls with a callback are answered at once.
        var isStuck = false
        /// How many taken calls are being appended: these are in memory, too.
        var taken = 0

        /// Appends a call, and drops one if there is no room.
        /// - Returns: whether the queue has to be woken, and the call that was dropped.
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

        /// Deletes records that were not taken yet.
        /// - Returns: the deleted calls.
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

    /// Appends a call.
    /// - Returns: whether the queue has to be woken: no call since it was last empty has done so.
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

    /// From now on the queue takes calls.
    func start() {
        locked {
            $0.isStarted = true
            $0.isScheduled = true
            $0.isStuck = false
        }
    }

    /// Takes the calls since the last time; nil without any: then the next `put` wakes the queue again.
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

    /// Deletes records that were not taken yet, then appends a call.
    func clear(_ call: Call, isEnabled: Bool? = nil) -> Bool {
        let deleted = locked { state in
            if let isEnabled { state.isEnabled = isEnabled }
            return state.deleteRecords()
        }
        for entry in deleted { entry.call.refuse() }
        return put(call)
    }

    /// Turns recording off because an earlier launch did, unless this launch has called `enable` already: then the
    /// records before that call are dropped when they are taken.
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

    /// Answers calls that wait for an upload or the end of the process, while the queue cannot take any.
    ///
    /// - Parameter isStuck: Whether the queue does not know when it can: then all calls with a callback are answered.
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
