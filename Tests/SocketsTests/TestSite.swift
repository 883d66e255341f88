import Foundation
import HTTP1
import Sockets
import TestSupport
import Testing

/// Everything with real sockets, one test at a time. What counts descriptors or memory, or spends
/// them, runs in a process of its own.
@Suite(.serialized) enum Serving {}

/// Servers of `TestHandler`s, and what these have seen.
struct TestSite: Sendable {
    let board = TestHandler.Board()

    func group(_ listen: String, maxConnections: Int = 10_000) throws -> Server.Configuration.Group
    {
        let board = board
        let address = try #require(ListenAddress(listen))
        return .init(listeners: [address], maxConnections: maxConnections) { _ in
            TestHandler(board)
        }
    }

    func start(
        loops: Int = 2, listen: String = "127.0.0.1:0",
        maxConnections: Int = 10_000, change: (inout Server.Configuration) -> Void = { _ in }
    ) throws -> Server {
        var configuration = Server.Configuration(groups: [
            try group(listen, maxConnections: maxConnections)
        ])
        configuration.loops = loops
        change(&configuration)
        return try Server(starting: configuration)
    }

    /// Waits for so many requests of `/held`, and takes their sources.
    func takeStreams(_ count: Int) -> [HeldSource] {
        #expect(eventually { board.streams.withLock { $0.count } == count })
        return board.streams.withLock { streams in
            defer { streams = [] }
            return streams
        }
    }

    /// A clock that counts the turns of the loops, each of which reads it once.
    var countingClock: Clock {
        let board = board
        return Clock(
            monotonic: {
                board.turns.add(1, ordering: .relaxed)
                return Clock.system.monotonic()
            }, wall: Clock.system.wall)
    }

    /// How many turns the loops have made.
    var turns: Int { board.turns.load(ordering: .relaxed) }
    /// How many requests wait for their answer.
    var held: Int { board.held.withLock { $0.count } }
    /// How many requests have come whole.
    var handled: Int { board.handled.load(ordering: .relaxed) }
    var cancelled: Int { board.cancelled.load(ordering: .relaxed) }
    var departures: Int { board.departures.load(ordering: .relaxed) }
    /// Sources of streamed answers that have not been freed.
    var sources: Int { board.sources.load(ordering: .relaxed) }
}

extension Server {
    /// The only listener's address.
    var address: String { addresses[0][0] }
    /// Waits for everything to end, a minute at most.
    func drain() { drain(60_000_000_000) }
    /// Ends whatever is left at once.
    func end() { drain(0) }
}

func get(_ path: String, _ more: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(more)\r\n"
}

func post(_ path: String, _ body: String) -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
}

/// What this process uses.
enum Usage {
    /// Sockets, and what epoll takes. The test library's files come and go.
    static var descriptors: Int {
        let kinds = ["socket:", "anon_inode:[eventpoll]", "anon_inode:[eventfd]"]
        let files = FileManager.default
        let links = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.count { link in
            let text = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(link)")
            return kinds.contains { text?.hasPrefix($0) == true }
        }
    }

    /// Whether a sanitizer watches (`make sanitize` says so).
    static var isSanitized: Bool { ProcessInfo.processInfo.environment["SANITIZED"] != nil }

    /// Octets in memory, after what is free was given back.
    static var resident: Int {
        typealias Trim = @convention(c) (Int) -> Int32
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * Int(getpagesize())
    }
}
