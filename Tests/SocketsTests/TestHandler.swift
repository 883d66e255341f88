import Foundation
import HTTP1
import Sockets
import Synchronization

/// Answers by path, with the count and the sum of the body's octets unless another body is named.
final class TestHandler: RequestHandler {
    let board: Board
    /// What `/put-off` answers at the ends of this loop's turns, one at each.
    private var putOff: [(Exchange, Response)] = []

    /// What the tests see of all handlers, and have a hand in.
    final class Board: Sendable {
        /// What `/never` has not answered.
        let held = Mutex<[Exchange]>([])
        /// The sources of `/held`.
        let streams = Mutex<[HeldSource]>([])
        /// Clients of `/never` that went away.
        let departures = Atomic<Int>(0)
        /// Requests that came whole.
        let handled = Atomic<Int>(0)
        /// Requests for `/early`.
        let early = Atomic<Int>(0)
        /// Octets of `/stream`.
        let pulled = Atomic<Int>(0)
        /// Holds of `/kept` that are alive.
        let holds = Atomic<Int>(0)
        /// Readings of a counting clock.
        let turns = Atomic<Int>(0)
        let begun = Atomic<Int>(0)
        let cancelled = Atomic<Int>(0)
        /// Sources that are alive.
        let sources = Atomic<Int>(0)
        /// What `/block` waits for, on its loop.
        let gate = DispatchSemaphore(value: 0)
    }

    init(_ board: Board) { self.board = board }

    func admit(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: Exchange
    ) -> HeadVerdict {
        if Words.equal(bytes, head.path, "/early") {
            board.early.add(1, ordering: .relaxed)
            return .answer(Response(status: 404))
        }
        if Words.equal(bytes, head.path, "/early-big") {
            return .answer(Response(status: 404, body: [UInt8](repeating: 0x61, count: 8_000_000)))
        }
        if Words.equal(bytes, head.path, "/never-body") { return .handle() }
        return .readBody(limit: 1 << 20)
    }

    func handle(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, body: Span<UInt8>,
        context: AnyObject?, _ exchange: Exchange
    ) {
        board.handled.add(1, ordering: .relaxed)
        var sum = 0
        for place in 0..<body.count { sum += Int(body[place]) }
        let response = Response(status: 200, body: Array("\(body.count) \(sum)".utf8))
        let path = head.path.reduce(into: "") { $0.unicodeScalars.append(.init(bytes[$1])) }
        switch path {
        // From another thread.
        case "/later": DispatchQueue.global().async { exchange.respond(response) }
        // When a test says so.
        case "/never", "/never-body":
            let board = board
            exchange.whenGone { board.departures.add(1, ordering: .relaxed) }
            board.held.withLock { $0.append(exchange) }
        case "/twice":
            exchange.respond(response)
            exchange.respond(Response(status: 500))
        case "/late-twice":
            DispatchQueue.global().async {
                exchange.respond(response)
                exchange.respond(Response(status: 500))
            }
        case "/early-count":
            let count = board.early.load(ordering: .relaxed)
            exchange.respond(Response(status: 200, body: Array("\(count)".utf8)))
        case "/put-off": putOff.append((exchange, response))
        case "/block":
            board.gate.wait()
            exchange.respond(response)
        case "/big":
            exchange.respond(
                Response(status: 200, body: [UInt8](repeating: 0x61, count: 8_000_000)))
        // The same with something that is held until it has gone.
        case "/kept":
            var big = Response(status: 200, body: [UInt8](repeating: 0x62, count: 8_000_000))
            big.hold = Hold(board)
            exchange.respond(big)
        // Without end.
        case "/stream": exchange.respond(Response(status: 200, stream: EndlessSource(board)))
        // Ten lines.
        case "/count": exchange.respond(Response(status: 200, stream: CountingSource(board)))
        // What a test gives it.
        case "/held":
            let source = HeldSource(board)
            board.streams.withLock { $0.append(source) }
            exchange.respond(Response(status: 200, stream: source))
        default: exchange.respond(response)
        }
    }

    func turnEnded() -> Bool {
        if !putOff.isEmpty {
            let (exchange, response) = putOff.removeFirst()
            exchange.respond(response)
        }
        return !putOff.isEmpty
    }

    func refusal(
        _ reason: RequestRefusal, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        context: AnyObject?, arrival: Int64
    ) -> Response {
        Response(status: reason.status, body: Array("\(reason)".utf8))
    }
}

/// What the answers of `/kept` have along.
private final class Hold: Sendable {
    private let board: TestHandler.Board

    init(_ board: TestHandler.Board) {
        self.board = board
        board.holds.add(1, ordering: .relaxed)
    }

    deinit { board.holds.subtract(1, ordering: .relaxed) }
}
