import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The client's queue: one thread that does one thing after another, at once or at a moment.
///
/// A queue of Dispatch would do but for two things: a timer of its own is late by a tenth, which is half a
/// second of a budget of five, and on Linux a loaded machine was seen to leave its threads asleep for
/// seconds beside work (docs/decisions/0050-client-journal.md).
final class Worker: Sendable {
    typealias Body = @Sendable () -> Void

    private struct Entry {
        let number: Int
        /// Nanoseconds of the monotonic clock; what is done at once is past.
        let moment: Int64
        let body: Body
    }

    private struct State {
        var ready: [(moment: Int64, body: Body)] = []
        var later: [Entry] = []
        var counter = 0
        var isRunning = false
    }

    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    nonisolated(unsafe) private let condition: UnsafeMutablePointer<pthread_cond_t>
    nonisolated(unsafe) private let state: UnsafeMutablePointer<State>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // A clock that is set by hand wakes nobody.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Does something after what was asked for before.
    func run(_ body: @escaping Body) {
        let moment = SystemClock.monotonic()
        locked { state in
            state.ready.append((moment, body))
            begin(&state)
        }
    }

    /// Does something at a moment of the monotonic clock, in nanoseconds; at once if it is past.
    /// - Returns: the number with which it can be called off.
    @discardableResult
    func run(at moment: Int64, _ body: @escaping Body) -> Int {
        locked { state in
            state.counter += 1
            state.later.append(Entry(number: state.counter, moment: moment, body: body))
            begin(&state)
            return state.counter
        }
    }

    /// Calls something off that was to be done at a moment.
    func cancel(_ number: Int) { locked { $0.later.removeAll { $0.number == number } } }

    private func locked<R>(_ body: (inout State) -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state.pointee)
    }

    /// Wakes the thread, which the first who needs it makes.
    private func begin(_ state: inout State) {
        guard !state.isRunning else {
            pthread_cond_signal(condition)
            return
        }
        state.isRunning = true
        let thread = Thread { [self] in
            while true {
                let body = next()
                #if canImport(ObjectiveC)
                // The thread never ends, nor would what Foundation leaves to its pool.
                autoreleasepool { body() }
                #else
                body()
                #endif
            }
        }
        thread.name = "org.sojourn.client"
        // An app that is told to end waits for this thread.
        thread.qualityOfService = .userInitiated
        thread.stackSize = 1 << 19
        thread.start()
    }

    /// Waits for what is to be done next.
    private func next() -> Body {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            let now = SystemClock.monotonic()
            let first = state.pointee.later.min { $0.moment < $1.moment }
            // In the order of their moments, so that an alarm that rings at once again keeps nobody waiting.
            let asked = state.pointee.ready.first?.moment
            if let first, first.moment <= min(now, asked ?? now) {
                state.pointee.later.removeAll { $0.number == first.number }
                return first.body
            }
            if asked != nil { return state.pointee.ready.removeFirst().body }
            if let first {
                wait(first.moment - now)
            } else {
                pthread_cond_wait(condition, mutex)
            }
        }
    }

    private func wait(_ nanoseconds: Int64) {
        #if canImport(Darwin)
        var rest = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        pthread_cond_timedwait_relative_np(condition, mutex, &rest)
        #else
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let sum = Int64(end.tv_nsec) + nanoseconds
        end.tv_sec += Int(sum / 1_000_000_000)
        end.tv_nsec = Int(sum % 1_000_000_000)
        pthread_cond_timedwait(condition, mutex, &end)
        #endif
    }
}
