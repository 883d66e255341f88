import Glibc
import HTTP1
import Synchronization

/// An HTTP server: listeners, and loops that serve their connections.
///
/// Its life: `start`, `stopAccepting`, `drain`. After `drain` every descriptor and thread of it is
/// gone; it cannot be started again.
package final class Server: Sendable {
    /// Where each group listens, with the ports that were taken.
    package let addresses: [[String]]
    private let homes: [LoopHome]
    private let threads: [LoopThread]
    private let groups: [ListenerGroup]
    private let clock: Clock
    private let isDrained = Atomic<Bool>(false)

    /// Opens the listeners and starts the loops.
    /// - Throws: `SocketError`; then everything that was opened is closed again.
    package init(starting configuration: Configuration) throws(SocketError) {
        var listeners: [LoopListener] = []
        var addresses: [[String]] = []
        var epolls: [Epoll] = []
        do throws(SocketError) {
            for (index, group) in configuration.groups.enumerated() {
                var texts: [String] = []
                for address in group.listeners {
                    let socket = try ListeningSocket(
                        address, backlog: configuration.backlog, unixMode: group.unixMode)
                    listeners.append(LoopListener(socket: socket, group: index))
                    texts.append(socket.address)
                }
                addresses.append(texts)
            }
            for _ in 0..<max(1, configuration.loops) {
                epolls.append(try Epoll())
            }
        } catch {
            for listener in listeners { listener.close() }
            for epoll in epolls { epoll.shutDown() }
            throw error
        }
        let groups = configuration.groups.map {
            ListenerGroup(limit: $0.maxConnections, makeHandler: $0.makeHandler)
        }
        let homes = epolls.enumerated().map {
            LoopHome(index: $0, wakeDescriptor: $1.wakeDescriptor)
        }
        self.addresses = addresses
        self.groups = groups
        self.homes = homes
        self.clock = configuration.clock
        configuration.onOpen()
        var threads: [LoopThread] = []
        do throws(SocketError) {
            // The loop with the listeners starts last: no client connects before all others run.
            for (index, epoll) in epolls.enumerated().reversed() {
                // Made here and used by the one thread alone from then on.
                nonisolated(unsafe) let epoll = epoll
                let own = index == 0 ? listeners : []
                threads.append(
                    try LoopThread {
                        let loop = EventLoop(
                            home: homes[index], peers: homes, epoll: epoll, groups: groups,
                            listeners: own, configuration: configuration)
                        loop.run()
                    })
            }
        } catch {
            for home in homes { home.post(.drain(deadline: .min)) }
            for thread in threads { thread.join() }
            for epoll in epolls.dropLast(threads.count) { epoll.shutDown() }
            for listener in listeners { listener.close() }
            throw error
        }
        self.threads = threads
    }

    /// Connections that are open now, of all groups.
    package var connections: Int {
        groups.reduce(0) { $0 + $1.connections.load(ordering: .relaxed) }
    }

    /// Bytes received from clients so far.
    package var receivedBytes: Int { homes.reduce(0) { $0 &+ $1.received.value } }

    /// Connections of one group that are open now.
    package func connections(ofGroup index: Int) -> Int {
        groups[index].connections.load(ordering: .relaxed)
    }

    /// The number of loops.
    package var loops: Int { homes.count }

    /// Calls something once on each loop, in its next turn: a loop that does not turn does not.
    package func callOnLoops(_ answer: @escaping @Sendable () -> Void) {
        for home in homes { home.post(.call(answer)) }
    }

    /// Calls something that answers many requests at once. Each loop is woken once for all of them, when it
    /// returns: be quick.
    package func answeringTogether(_ work: () -> Void) {
        for home in homes { home.holdWakes() }
        defer { for home in homes { home.releaseWakes() } }
        work()
    }

    /// Closes the listeners and the idle connections. Complete requests are finished;
    /// one whose head or body is incomplete is refused with `.shuttingDown`.
    package func stopAccepting() {
        for home in homes { home.post(.stopAccepting) }
    }

    /// Waits until all connections have ended, at most so long, closes what is left, and ends the
    /// loops. Blocks; not to be called on a loop.
    /// - Parameter nanoseconds: how long what was accepted may take.
    package func drain(_ nanoseconds: Int64) {
        guard !isDrained.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let deadline = clock.monotonic() &+ nanoseconds
        for home in homes { home.post(.stopAccepting) }
        for home in homes { home.post(.drain(deadline: deadline)) }
        for thread in threads { thread.join() }
    }
}

/// Listeners with one handler and one limit of connections, as all loops share them.
final class ListenerGroup: Sendable {
    let limit: Int
    let makeHandler: @Sendable (Int) -> any RequestHandler
    let connections = Atomic<Int>(0)
    /// New connections are left in the backlog until one ends.
    let isFull = Atomic<Bool>(false)

    init(limit: Int, makeHandler: @escaping @Sendable (Int) -> any RequestHandler) {
        self.limit = limit
        self.makeHandler = makeHandler
    }

    var hasRoom: Bool { connections.load(ordering: .sequentiallyConsistent) < limit }
}

/// A thread that can be joined.
struct LoopThread: @unchecked Sendable {
    // A pthread_t is a plain handle; join is called once, by the server that made the thread.
    private let thread: pthread_t

    /// Runs `body` on a thread of its own.
    init(_ body: @escaping @Sendable () -> Void) throws(SocketError) {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let box = Unmanaged.passRetained(Box(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        self.thread = thread
        if result != 0 {
            box.release()
            throw SocketError(operation: "start", subject: "loop thread", number: result)
        }
    }

    func join() { pthread_join(thread, nil) }
}

extension Server {
    /// What a server is made of.
    package struct Configuration: Sendable {
        /// Listeners that share a handler and a limit.
        package struct Group: Sendable {
            package var listeners: [ListenAddress]
            /// Connections at a time; further ones wait in the backlog.
            package var maxConnections: Int
            /// Permissions of local sockets.
            package var unixMode: UInt32
            /// Makes the handler of each loop; called on the loop's thread with its number.
            package var makeHandler: @Sendable (Int) -> any RequestHandler

            package init(
                listeners: [ListenAddress], maxConnections: Int = 10_000,
                unixMode: UInt32 = 0o666,
                makeHandler: @escaping @Sendable (Int) -> any RequestHandler
            ) {
                self.listeners = listeners
                self.maxConnections = maxConnections
                self.unixMode = unixMode
                self.makeHandler = makeHandler
            }
        }

        package var groups: [Group]
        package var limits = RequestLimits()
        package var timeouts = Timeouts()
        /// Threads that turn; one a core is right.
        package var loops = 1
        package var backlog: Int32 = 1024
        /// Bounds what is held of all requests together.
        package var budget = Budget(limit: 256 << 20)
        package var clock = Clock.system
        /// Told, on a loop's thread, that connections could not be accepted: a line for the log. Once
        /// for each time that descriptors run out, and not more often than once a second.
        package var onAcceptError: @Sendable (SocketError) -> Void = { _ in }
        /// Told that all listeners are open, before anybody is let in.
        package var onOpen: @Sendable () -> Void = {}

        package init(groups: [Group]) { self.groups = groups }
    }
}
