import Glibc

/// The clock, the waiting and the chance that a client depends on, handed in so that tests need
/// none of them.
package struct Pace: Sendable {
    /// Milliseconds since 1970 by the wall clock: what `sent_at` is stamped with.
    package var now: @Sendable () -> Int64
    /// Milliseconds by a clock that is never set: what deadlines are measured with.
    package var elapsed: @Sendable () -> Int64
    /// Waits so many milliseconds.
    package var wait: @Sendable (Int64) -> Void
    /// Evenly drawn from 0 to 1.
    package var draw: @Sendable () -> Double

    /// A pace of its parts.
    package init(
        now: @escaping @Sendable () -> Int64, elapsed: @escaping @Sendable () -> Int64,
        wait: @escaping @Sendable (Int64) -> Void, draw: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.elapsed = elapsed
        self.wait = wait
        self.draw = draw
    }

    /// The machine's own.
    package static let real = Pace(
        now: { read(CLOCK_REALTIME) },
        elapsed: { read(CLOCK_MONOTONIC) },
        wait: { sleep(milliseconds: $0) },
        draw: { Double.random(in: 0...1) })

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Neither clock can fail on Linux; were it so, time would stand still at zero.
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func sleep(milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        var request = timespec(
            tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
        var rest = timespec()
        // A signal ends the wait early and leaves what is left of it in `rest`.
        while nanosleep(&request, &rest) != 0, errno == EINTR { request = rest }
    }
}
