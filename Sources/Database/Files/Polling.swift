import Glibc

/// Looks again and again for what another process does: gives a lock back, leaves the WAL, ends a line, makes
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

    /// Looks at once, then after each pause, until there is something. Throws what `look` throws.
    /// - Parameters:
    ///   - pause: milliseconds between two looks
    ///   - look: nil where there is nothing yet
    package func first<T, E: Error>(
        every pause: UInt32, _ look: () throws(E) -> T?
    ) throws(E) -> T {
        while true {
            if let found = try look() { return found }
            sleep(UInt64(pause) * 1_000_000)
        }
    }

    /// The same until the pauses have taken their time: how long the looks take does not count, so that a slow
    /// one leaves room for others.
    /// - Parameter patience: milliseconds of pauses
    /// - Returns: nil where the time was over
    package func first<T, E: Error>(
        every pause: UInt32, for patience: UInt32, _ look: () throws(E) -> T?
    ) throws(E) -> T? {
        var paused: UInt64 = 0
        return try first(every: pause) { () throws(E) -> T?? in
            if let found = try look() { return .some(found) }
            if paused >= UInt64(patience) { return .some(nil) }
            paused += UInt64(pause)
            return nil
        }
    }
}
