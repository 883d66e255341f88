import Glibc

/// Looks again and again for what another process does: gives a lock back, leaves the log, ends a line, makes
/// a backup. The system gives no notice of these, so this is the one place where a thread sleeps to wait.
package struct Polling: Sendable {
    /// With the system's clock.
    package static let system = Polling(
        uptime: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        },
        sleep: { nanoseconds in
            var left = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            var rest = timespec()
            while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
        })

    private let uptime: @Sendable () -> UInt64
    private let sleep: @Sendable (_ nanoseconds: UInt64) -> Void

    /// - Parameters:
    ///   - uptime: nanoseconds, never less than before
    ///   - sleep: waits
    package init(
        uptime: @escaping @Sendable () -> UInt64,
        sleep: @escaping @Sendable (_ nanoseconds: UInt64) -> Void
    ) {
        self.uptime = uptime
        self.sleep = sleep
    }

    /// Looks at once, then after each pause, until there is something or the time is over; then it has
    /// looked once more. Throws what `look` throws.
    /// - Parameters:
    ///   - pause: milliseconds between two looks
    ///   - patience: milliseconds; nil: as long as it takes
    ///   - look: nil where there is nothing yet
    /// - Returns: what was found; nil where the time was over
    package func first<T, E: Error>(
        every pause: UInt32, for patience: UInt32?, _ look: () throws(E) -> T?
    ) throws(E) -> T? {
        let begin = uptime()
        while true {
            if let found = try look() { return found }
            if let patience, uptime() &- begin >= UInt64(patience) * 1_000_000 { return nil }
            sleep(UInt64(pause) * 1_000_000)
        }
    }
}
