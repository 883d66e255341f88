#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The device's clock, read once; from then on the monotonic clock counts, so that a clock that is set
/// while the app runs moves no event (client.md §4).
struct Clock: Sendable {
    /// The device's clock when this was made, ms since 1970.
    private let wall: Int64
    /// The monotonic clock then, ns.
    private let monotonic: Int64

    init() {
        wall = Self.wall()
        monotonic = Self.monotonic()
    }

    /// Milliseconds since 1970 at a moment of the monotonic clock, which may be before `start`.
    func time(at moment: Int64) -> Int64 { wall + (moment - monotonic) / 1_000_000 }

    /// Milliseconds since 1970 now.
    var now: Int64 { time(at: Self.monotonic()) }

    /// Nanoseconds of the monotonic clock that runs on during sleep.
    static func monotonic() -> Int64 {
        #if canImport(Darwin)
        return read(CLOCK_MONOTONIC_RAW)
        #else
        return read(CLOCK_BOOTTIME)
        #endif
    }

    /// The device's clock as it is set now, ms since 1970.
    static func wall() -> Int64 { read(CLOCK_REALTIME) / 1_000_000 }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
