import Glibc

/// Looks again and again for what another process does: gives a lock back, leaves the log, ends a line, makes
/// a backup. The system gives no notice of these, so this is the one place where a thread sleeps to wait.
package struct Polling: Sendable {
    /// With the system's sleep.
    package static let system = Polling { nanoseconds in
        var left = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        var rest = timespec()
        while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }

    private let sleep: @Sendable (_ nanoseconds: UInt64) -> Void

    /// - Parameter sleep: waits
    package init(sleep: @escaping @Sendable (_ nanoseconds: UInt64) -> Void) { self.sleep = sleep }

    /// Looks at once, then after each pause, until there is something or the pauses have taken their time: how
    /// long the looks take does not count, so that a slow one leaves room for others. Throws what `look`
    /// throws.
    /// - Parameters:
    ///   - pause: milliseconds between two looks
    ///   - patience: milliseconds of pauses; nil: as long as it takes
    ///   - look: nil where there is nothing yet
    /// - Returns: what was found; nil where the time was over
    package func first<T, E: Error>(
        every pause: UInt32, for patience: UInt32?, _ look: () throws(E) -> T?
    ) throws(E) -> T? {
        var paused: UInt64 = 0
        while true {
            if let found = try look() { return found }
            if let patience, paused >= UInt64(patience) { return nil }
            sleep(UInt64(pause) * 1_000_000)
            paused += UInt64(pause)
        }
    }
}
