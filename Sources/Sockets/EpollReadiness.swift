import CLinux

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Readiness by epoll, edge-triggered for connections: one `epoll_ctl` in a connection's life.
final class EpollReadiness {
    private static let wakeToken = UInt64.max
    private static let batch = 256

    private let epoll: Int32
    let wakeDescriptor: Int32
    private let found = UnsafeMutablePointer<clinux_event>.allocate(capacity: EpollReadiness.batch)

    init() throws(SocketError) {
        epoll = clinux_epoll_create()
        guard epoll >= 0 else {
            throw SocketError(operation: "make", subject: "epoll", number: errno)
        }
        wakeDescriptor = clinux_eventfd()
        guard wakeDescriptor >= 0,
            clinux_epoll_add_level(epoll, wakeDescriptor, Self.wakeToken) == 0
        else {
            let number = errno
            SystemCalls.close(epoll)
            if wakeDescriptor >= 0 { SystemCalls.close(wakeDescriptor) }
            throw SocketError(operation: "make", subject: "eventfd", number: number)
        }
    }

    deinit { found.deallocate() }

    func add(_ descriptor: Int32, _ token: UInt64) throws(SocketError) {
        if clinux_epoll_add_edge(epoll, descriptor, token) != 0 {
            throw SocketError(operation: "watch", subject: "connection", number: errno)
        }
    }

    func addListener(_ descriptor: Int32, _ token: UInt64) throws(SocketError) {
        if clinux_epoll_add_level(epoll, descriptor, token) != 0 {
            throw SocketError(operation: "watch", subject: "listener", number: errno)
        }
    }

    func remove(_ descriptor: Int32) { _ = clinux_epoll_remove(epoll, descriptor) }

    func wait(_ nanoseconds: Int64?, into events: inout [Readiness.Event]) {
        var timeout: Int32 = -1
        if let nanoseconds {
            // Up, so that a deadline has passed when the wait for it ends.
            timeout = Int32(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        }
        let count = clinux_epoll_wait(epoll, found, Int32(Self.batch), timeout)
        guard count > 0 else { return }
        for place in 0..<Int(count) {
            if found[place].token == Self.wakeToken {
                var counter: UInt64 = 0
                _ = read(wakeDescriptor, &counter, MemoryLayout<UInt64>.size)
            } else {
                events.append(.init(token: found[place].token, flags: found[place].flags))
            }
        }
    }

    func shutDown() {
        SystemCalls.close(epoll)
        SystemCalls.close(wakeDescriptor)
    }
}
