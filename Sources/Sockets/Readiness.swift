import CLinux

/// Tells a loop which of its descriptors can be read or written: one type, two ways behind it.
///
/// Events are hints, given once for each change: a descriptor that was reported readable is not
/// reported again until it was read empty and `awaitInput` was called; writing likewise.
final class Readiness {
    /// A descriptor that changed.
    struct Event {
        var token: UInt64
        var flags: UInt32

        var isReadable: Bool { flags & UInt32(CLINUX_READABLE) != 0 }
        var isWritable: Bool { flags & UInt32(CLINUX_WRITABLE) != 0 }
        /// The peer has shut down its writing side (on Linux; elsewhere a read finds out).
        var hasPeerEnded: Bool { flags & UInt32(CLINUX_PEER_ENDED) != 0 }
        /// The connection is reset or ended on both sides.
        var hasFailed: Bool { flags & UInt32(CLINUX_FAILED) != 0 }
    }

    private enum Way {
        case epoll(EpollReadiness)
        case dispatch(DispatchReadiness)
    }

    private let way: Way

    init(_ kind: ReadinessKind) throws(SocketError) {
        switch kind {
        case .epoll: way = .epoll(try EpollReadiness())
        case .dispatch: way = .dispatch(DispatchReadiness())
        }
    }

    /// Takes a connection; reading is awaited from now on.
    func add(_ descriptor: Int32, _ token: UInt64) throws(SocketError) {
        switch way {
        case .epoll(let epoll): try epoll.add(descriptor, token)
        case .dispatch(let dispatch): dispatch.add(descriptor, token)
        }
    }

    /// Takes a listener, which is reported for as long as connections wait at it.
    func addListener(_ descriptor: Int32, _ token: UInt64) throws(SocketError) {
        switch way {
        case .epoll(let epoll): try epoll.addListener(descriptor, token)
        case .dispatch(let dispatch): dispatch.add(descriptor, token)
        }
    }

    /// Lets go of a listener without closing it.
    func removeListener(_ descriptor: Int32, _ token: UInt64) {
        switch way {
        case .epoll(let epoll): epoll.remove(descriptor)
        case .dispatch(let dispatch): dispatch.remove(token, closing: nil)
        }
    }

    /// Lets go of a connection and closes its descriptor.
    func close(_ descriptor: Int32, _ token: UInt64) {
        switch way {
        case .epoll: SystemCalls.close(descriptor)
        case .dispatch(let dispatch): dispatch.remove(token, closing: descriptor)
        }
    }

    /// Lets go of a listener and closes its descriptor. Whoever handed it to the process may hold
    /// it too, and epoll reports what is open somewhere until it is told not to.
    func closeListener(_ descriptor: Int32, _ token: UInt64) {
        if case .epoll(let epoll) = way { epoll.remove(descriptor) }
        close(descriptor, token)
    }

    /// The descriptor was read empty.
    func awaitInput(_ token: UInt64) {
        if case .dispatch(let dispatch) = way { dispatch.awaitInput(token) }
    }

    /// The descriptor took no more.
    func awaitRoom(_ descriptor: Int32, _ token: UInt64) {
        if case .dispatch(let dispatch) = way { dispatch.awaitRoom(descriptor, token) }
    }

    /// Waits at most `nanoseconds` (`nil`: without end) for events or for `wake`.
    func wait(_ nanoseconds: Int64?, into events: inout [Event]) {
        events.removeAll(keepingCapacity: true)
        switch way {
        case .epoll(let epoll): epoll.wait(nanoseconds, into: &events)
        case .dispatch(let dispatch): dispatch.wait(nanoseconds, into: &events)
        }
    }

    /// What ends a `wait` from any thread.
    var waker: Waker {
        switch way {
        case .epoll(let epoll): .descriptor(epoll.wakeDescriptor)
        case .dispatch(let dispatch): .semaphore(dispatch.arrived)
        }
    }

    /// Gives all descriptors of its own back. All connections must have been closed.
    func shutDown() {
        switch way {
        case .epoll(let epoll): epoll.shutDown()
        case .dispatch(let dispatch): dispatch.shutDown()
        }
    }
}
