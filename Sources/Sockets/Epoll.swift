import CLinux
import Glibc

/// Tells a loop which of its descriptors can be read or written.
///
/// Connections are edge-triggered: epoll reports each change once, and one `epoll_ctl` serves a
/// connection's whole life. Listeners are level-triggered: epoll reports one for as long as
/// connections wait at it.
final class Epoll {
    /// A descriptor that changed.
    struct Event {
        var token: UInt64
        var flags: UInt32

        var isReadable: Bool { flags & UInt32(CLINUX_READABLE) != 0 }
        var isWritable: Bool { flags & UInt32(CLINUX_WRITABLE) != 0 }
        /// The peer has shut down its writing side.
        var hasPeerEnded: Bool { flags & UInt32(CLINUX_PEER_ENDED) != 0 }
        /// The connection is reset or ended on both sides.
        var hasFailed: Bool { flags & UInt32(CLINUX_FAILED) != 0 }
    }

    private static let wakeToken = UInt64.max
    private static let batch = 256

    private let descriptor: Int32
    /// An eventfd; writing to it from any thread ends a `wait`.
    let wakeDescriptor: Int32
    private let found = UnsafeMutablePointer<clinux_event>.allocate(capacity: Epoll.batch)

    init() throws(SocketError) {
        descriptor = clinux_epoll_create()
        guard descriptor >= 0 else {
            throw SocketError(operation: "make", subject: "epoll", number: errno)
        }
        wakeDescriptor = clinux_eventfd()
        guard wakeDescriptor >= 0,
            clinux_epoll_add_wake(descriptor, wakeDescriptor, Self.wakeToken) == 0
        else {
            let number = errno
            SystemCalls.close(descriptor)
            if wakeDescriptor >= 0 { SystemCalls.close(wakeDescriptor) }
            throw SocketError(operation: "make", subject: "eventfd", number: number)
        }
    }

    deinit { found.deallocate() }

    /// Watches a connection until its descriptor is closed.
    func add(_ connection: Int32, _ token: UInt64) throws(SocketError) {
        if clinux_epoll_add_edge(descriptor, connection, token) != 0 {
            throw SocketError(operation: "watch", subject: "connection", number: errno)
        }
    }

    /// Watches a listener until it is removed: another process may hold it too, and epoll reports
    /// what is open somewhere, even after this process has closed it.
    func addListener(_ listener: Int32, _ token: UInt64) throws(SocketError) {
        if clinux_epoll_add_level(descriptor, listener, token) != 0 {
            throw SocketError(operation: "watch", subject: "listener", number: errno)
        }
    }

    /// Stops watching a listener, without closing it.
    func removeListener(_ listener: Int32) { _ = clinux_epoll_remove(descriptor, listener) }

    /// Waits at most `nanoseconds` (`nil`: without end) for events or a wake.
    func wait(_ nanoseconds: Int64?, into events: inout [Event]) {
        events.removeAll(keepingCapacity: true)
        var timeout: Int32 = -1
        if let nanoseconds {
            // Rounded up, so that a deadline has passed when the wait for it ends.
            timeout = Int32(clamping: (max(0, nanoseconds) + 999_999) / 1_000_000)
        }
        let count = clinux_epoll_wait(descriptor, found, Int32(Self.batch), timeout)
        guard count > 0 else { return }
        // Of a wake nothing is read: its counter has room for more of them than a process lives to see.
        for index in 0..<Int(count) where found[index].token != Self.wakeToken {
            events.append(Event(token: found[index].token, flags: found[index].flags))
        }
    }

    /// Closes its own descriptors. All connections must have been closed.
    func shutDown() {
        SystemCalls.close(descriptor)
        SystemCalls.close(wakeDescriptor)
    }
}
