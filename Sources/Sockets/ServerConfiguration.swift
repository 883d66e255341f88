import HTTP1

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

        package init(groups: [Group]) { self.groups = groups }
    }
}
