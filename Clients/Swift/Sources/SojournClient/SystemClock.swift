#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The system's clocks.
enum SystemClock {
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
