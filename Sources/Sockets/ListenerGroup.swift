import Synchronization

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
