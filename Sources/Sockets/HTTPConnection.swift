import HTTP1

/// One connection of a loop: its descriptor, its machine, and what waits in either direction.
final class HTTPConnection {
    let descriptor: Int32
    /// Nanoseconds of the monotonic clock, in the order in which connections were made.
    let acceptedAt: Int64
    let address: ConnectionAddress
    /// The index of its group in the loop's table.
    let group: Int
    var machine: ConnectionMachine
    /// Bytes that have arrived and are still needed: the message being received, and what follows
    /// it. Empty between requests.
    var store = Buffer()
    /// What waits for the client to read, from `pendingStart` on.
    var pending: [UInt8] = []
    var pendingStart = 0
    /// What goes before that: the head of an answer whose body waits as it is, not copied.
    var head: [UInt8] = []
    var headStart = 0
    /// Objects kept alive until the answers that need them are written.
    var holds: [any AnyObject & Sendable] = []
    /// The body of the answer that is under way.
    var stream: (any BodySource)?
    /// The header of that answer has not been written yet.
    var owesHead = false
    /// How that body is put.
    var streamEnd = AnswerForm.StreamEnd.chunked
    /// The system resets the connection when its descriptor closes, also where the process is killed.
    var resetsOnClose = false
    /// What the handler found out when it admitted the request that is being received.
    var context: AnyObject?
    /// The same of the request that is being handled, until its answer.
    var handled: AnyObject?
    /// Called when the client goes before its answer.
    var departure: (@Sendable () -> Void)?
    var isOpen = true
    /// There may be something to read; edge-triggered epoll reports it only once.
    var canRead = false
    /// Since when, as far as that is known, else in the far future; nanoseconds.
    var readableSince = Int64.max
    /// When what was read last came.
    var arrivedAt: Int64
    var canWrite = true
    /// The client has ended its side: a short read does not mean that everything was read.
    var mayHaveEnded = false
    /// `store` holds bytes that the machine has not been shown since it last had to wait.
    var hasUnseen = false
    /// It is in the loop's list of connections that get another turn.
    var isListed = false
    /// It is in the loop's list of connections that wait for room in the budget.
    var waitsForRoom = false
    /// Its entry among the incomplete requests.
    var entry: ComingRequests.Entry?
    /// The tick at which the wheel looks at it.
    var wheelTick = Int64.max

    init(
        descriptor: Int32, acceptedAt: Int64, address: ConnectionAddress, group: Int,
        machine: consuming ConnectionMachine
    ) {
        self.descriptor = descriptor
        self.acceptedAt = acceptedAt
        arrivedAt = acceptedAt
        self.address = address
        self.group = group
        self.machine = machine
    }

    /// When the request began that is being received. Many that come at once are seen in one turn, by some
    /// loop or other: of those that came with their connection its order is the right one.
    var requestBegunAt: Int64 {
        machine.begunAt - acceptedAt <= Self.withConnection ? acceptedAt : machine.begunAt
    }

    /// A request that begins later than this after its connection did not come with it, nanoseconds.
    private static let withConnection: Int64 = 50_000_000

    /// Bytes that wait for the client.
    var pendingCount: Int { pending.count - pendingStart + head.count - headStart }
}
