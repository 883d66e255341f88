#if canImport(CCurl)
import CCurl
import Foundation
import Glibc
import Testing

@testable import SojournClient

/// An address that accepts no connection: its backlog is full, so a SYN is not answered, as if packets were lost.
private final class Hole: Sendable {
    private let listener: Int32
    private let fill: Locked<[Int32]>

    init(at place: Place) throws {
        listener = try place.listen(0).socket
        fill = Locked(
            (0..<4).map { _ in
                let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
                let one = socket(AF_INET, kind, 0)
                _ = place.use { address, size in connect(one, address, size) }
                return one
            })
    }

    private func drain() {
        for one in fill.use({ $0 }) { close(one) }
        fill.use { $0 = [] }
    }

    /// From now on accepts connections, and answers 200.
    func open() {
        drain()
        Thread.detachNewThread { [listener] in
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                let answer = Array(RaceTests.answer.utf8)
                send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                close(connection)
            }
        }
    }

    deinit {
        drain()
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}

@Suite("A host with several addresses")
struct RaceTests {
    fileprivate static let answer =
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    /// Posts to a name with these addresses; returns how the request ended, and after how long.
    private func post(
        _ addresses: [Place], port: UInt16
    ) async -> (result: CURLcode?, took: Duration) {
        let list = addresses.map(\.address).joined(separator: ",")
        return await withCheckedContinuation { done in
            Thread.detachNewThread {
                let began = ContinuousClock.now
                let result = Self.run("http://shop.test:\(port)/", "shop.test:\(port):\(list)")
                done.resume(returning: (result, ContinuousClock.now - began))
            }
        }
    }

    private static func run(_ url: String, _ entry: String) -> CURLcode? {
        let transfers = curl_multi_init()
        defer { curl_multi_cleanup(transfers) }
        let known = curl_slist_append(nil, entry)
        defer { curl_slist_free_all(known) }
        return CurlRace(transfers) { handle in
            for (option, text) in [(CURLOPT_URL, url), (CURLOPT_NOPROXY, "*")] {
                _ = text.withCString { sojourn_curl_set_pointer(handle, option, $0) }
            }
            sojourn_curl_set_pointer(handle, CURLOPT_RESOLVE, known)
            sojourn_curl_set_long(handle, CURLOPT_NOSIGNAL, 1)
            sojourn_curl_set_long(handle, CURLOPT_TIMEOUT_MS, 20_000)
            _ = "body".withCString { sojourn_curl_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0) }
        }.run { false }?.result
    }

    /// A server at an address, and the port that all addresses of a test share.
    private func server(at host: UInt8) throws -> StrangeServer {
        try StrangeServer(Array(Self.answer.utf8), at: Place(host: host))
    }

    @Test("where one refuses, the next is tried at once")
    func refused() async throws {
        let server = try server(at: 2)
        let (result, took) = await post([Place(host: 1), Place(host: 2)], port: server.port)
        #expect(result == CURLE_OK && took < .seconds(1) && server.connections == 1)
    }

    @Test(
        "where some do not answer, each has two seconds, and the request is sent once",
        arguments: 1...2)
    func silent(_ count: UInt8) async throws {
        let server = try server(at: 5)
        let silent = (1...count).map { Place(host: $0, port: server.port) }
        let holes = try silent.map { try Hole(at: $0) }
        let (result, took) = await post(silent + [Place(host: 5)], port: server.port)
        let least = Duration.milliseconds(1900 * Int(count))
        #expect(result == CURLE_OK && server.connections == 1)
        #expect((least...least + .milliseconds(1500)).contains(took), "\(took)")
        withExtendedLifetime(holes) {}
    }

    @Test("where the first answers, no other is asked")
    func first() async throws {
        let server = try server(at: 1)
        let others = try (2...3).map {
            try StrangeServer([], isSilent: true, at: Place(host: $0, port: server.port))
        }
        let addresses = (1...3).map { Place(host: $0) }
        let (result, _) = await post(addresses, port: server.port)
        #expect(result == CURLE_OK && server.connections == 1)
        #expect(others.allSatisfy { $0.connections == 0 })
    }

    @Test("the first that connects is used, be it that another was begun with since")
    func late() async throws {
        // The port is free at the address that is tried first, so no other server has it.
        let (socket, port) = try Place(host: 1).listen(0)
        close(socket)
        let holes = try (1...2).map { try Hole(at: Place(host: $0, port: port)) }
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 2.5)
            holes[0].open()
        }
        let (result, took) = await post([Place(host: 1), Place(host: 2)], port: port)
        let least = Duration.milliseconds(2400)
        #expect(result == CURLE_OK && (least...least * 5).contains(took), "\(took)")
        withExtendedLifetime(holes) {}
    }

    @Test("where all refuse, it ends at once")
    func none() async throws {
        let (socket, port) = try Place(host: 1).listen(0)
        close(socket)
        let (result, took) = await post([Place(host: 1), Place(host: 2)], port: port)
        #expect(result == CURLE_COULDNT_CONNECT && took < .seconds(1))
    }
}
#endif
