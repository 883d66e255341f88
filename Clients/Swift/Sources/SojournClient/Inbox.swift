import Core

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Calls between their making and the client's queue. All that a call costs is to be put here: a lock
/// around an append to memory, never around a file.
final class Inbox: Sendable {
    /// What was called, and when.
    struct Entry {
        var call: Call
        /// Nanoseconds of the monotonic clock.
        var moment: Int64
    }

    enum Call {
        /// - `isOwn`: whether the app chose the name.
        case event(name: String, attributes: [String: Value], isOwn: Bool)
        case completed(content: String, then: (@Sendable (Bool) -> Void)?)
        case foreground(then: @Sendable () -> Void)
        case background(then: @Sendable () -> Void)
        case terminate(then: @Sendable () -> Void)
        case enable(Bool, then: @Sendable () -> Void)
        case forget(then: @Sendable () -> Void)
        case sync(then: @Sendable () -> Void)

        /// Whether it records something, and is bounded.
        var isRecord: Bool {
            switch self {
            case .event, .completed: true
            default: false
            }
        }
    }

    /// What was called since the last time.
    struct Batch {
        var entries: [Entry] = []
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
        let moment = Clock.monotonic()
        return locked { state in
            if call.isRecord {
                guard state.isEnabled else { return false }
                if state.batch.entries.count >= Self.capacity, state.isStarted {
                    state.batch.dropped += 1
                    return false
                }
                if state.batch.entries.count >= Self.capacityBeforeStart, !state.isStarted,
                    let oldest = state.batch.entries.firstIndex(where: \.call.isRecord)
                {
                    state.batch.entries.remove(at: oldest)
                    state.batch.dropped += 1
                }
            }
            state.batch.entries.append(Entry(call: call, moment: moment))
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
            guard !state.batch.entries.isEmpty || state.batch.dropped > 0 else {
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
            state.batch.entries.removeAll { $0.call.isRecord }
            state.batch.dropped = 0
            if let isEnabled { state.isEnabled = isEnabled }
        }
        return put(call)
    }

    var isEnabled: Bool {
        get { locked { $0.isEnabled } }
        set { locked { $0.isEnabled = newValue } }
    }
}
