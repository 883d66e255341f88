import Glibc

/// Where the loops read the time; read once a turn of a loop.
package struct Clock: Sendable {
    /// Nanoseconds from an arbitrary moment, never backwards.
    package var monotonic: @Sendable () -> Int64
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var wall: @Sendable () -> Int64

    package init(
        monotonic: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64
    ) {
        self.monotonic = monotonic
        self.wall = wall
    }

    /// The system's clocks.
    package static let system = Clock(
        monotonic: {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        },
        wall: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        })
}
