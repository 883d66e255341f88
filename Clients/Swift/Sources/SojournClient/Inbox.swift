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
        let moment = SystemClock.monotonic()
        return locked { state in
            if call.isRecord {
                guard state.isEnabled else { return false }
                if state.batch.calls.count >= Self.capacity, state.isStarted {
                    state.batch.dropped += 1
                    return false
                }
                if state.batch.calls.count >= Self.capacityBeforeStart, !state.isStarted,
                    let oldest = state.batch.calls.firstIndex(where: \.call.isRecord)
                {
                    state.batch.calls.remove(at: oldest)
                    state.batch.dropped += 1
                }
            }
            state.batch.calls.append(TimedCall(call, at: moment))
            guard state.isStarted, !state.isScheduled else { return false }
            state.isScheduled = true
            return true
        }
    }

    /// From now on the queue takes what comes.
    func start() {
        locked {
            $0.isStarted = true
            $0.isScheduled = true
        }
    }

    /// What was called since; nil where nothing was: the next `put` tells the queue again.
    func take() -> Batch? {
        locked { state in
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
        locked { state in
            state.batch.calls.removeAll { $0.call.isRecord }
            state.batch.dropped = 0
            if let isEnabled { state.isEnabled = isEnabled }
        }
        return put(call)
    }

    /// Records nothing from now on, and deletes what was recorded and not yet taken.
    func disable() {
        locked { state in
            state.batch.calls.removeAll { $0.call.isRecord }
            state.batch.dropped = 0
            state.isEnabled = false
        }
    }

    var isEnabled: Bool {
        get { locked { $0.isEnabled } }
        set { locked { $0.isEnabled = newValue } }
    }
}
