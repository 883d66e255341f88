import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Ends a loop's wait from any thread.
enum Waker: Sendable {
    case descriptor(Int32)
    case semaphore(DispatchSemaphore)

    func wake() {
        switch self {
        case .semaphore(let semaphore): semaphore.signal()
        case .descriptor(let descriptor):
            var one: UInt64 = 1
            // It fails only when the counter is full, and then the loop is awake.
            _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
        }
    }
}
