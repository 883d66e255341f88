import TestSupport
import Testing

@testable import Curl

@Suite("many HTTP requests at once")
struct HTTPMultiTests {
    private func outcomes(
        _ multi: HTTPMulti<Int>, _ count: Int
    ) throws -> [Int: Result<HTTPAnswer, HTTPFailure>] {
        var outcomes: [Int: Result<HTTPAnswer, HTTPFailure>] = [:]
        for _ in 0..<1_000 where outcomes.count < count {
            for outcome in try multi.wait(100) { outcomes[outcome.tag] = outcome.result }
        }
        return outcomes
    }

    @Test("each has a connection of its own while it lasts, which the next one is sent over")
    func connections() throws {
        let server = try TestServer { request, _ in
            TestServer.answer("200 OK", String(decoding: request.body.reversed(), as: UTF8.self))
        }
        defer { server.stop() }
        let multi = try HTTPMulti<Int>(ServerAddress(server.url), connections: 20)
        for round in 0..<2 {
            for tag in 0..<20 {
                let body = Array("\(tag) of \(round)".utf8)
                try multi.begin(HTTPRequest(.post, "/a", body: body), tag: tag)
            }
            #expect(multi.count == 20)
            let outcomes = try outcomes(multi, 20)
            for tag in 0..<20 {
                let answer = try #require(outcomes[tag]).get()
                #expect(answer.status == 200)
                #expect(answer.body.reversed().elementsEqual("\(tag) of \(round)".utf8))
            }
            #expect(multi.count == 0)
        }
        // The first are on their way, and perhaps answered, before the last are begun.
        #expect((10...20).contains(Set(server.requests.map(\.connection)).count))
    }

    @Test("somebody new has a new connection, and there are never more than there may be")
    func fresh() throws {
        let server = try TestServer { _, _ in TestServer.answer("200 OK") }
        defer { server.stop() }
        let multi = try HTTPMulti<Int>(ServerAddress(server.url), connections: 3)
        for tag in 0..<3 {
            try multi.begin(.get("/a"), tag: tag, isFresh: true)
            #expect(try outcomes(multi, 1).count == 1)
        }
        #expect(Set(server.requests.map(\.connection)).count == 3)
        for tag in 3..<9 { try multi.begin(.get("/a"), tag: tag, isFresh: tag > 6) }
        let outcomes = try outcomes(multi, 6)
        #expect(try outcomes.values.allSatisfy { try $0.get().status == 200 })
        #expect((4...5).contains(Set(server.requests.map(\.connection)).count))
    }

    @Test("one that fails leaves the others alone")
    func failures() throws {
        let server = try TestServer { request, _ in
            request.line.contains("/bad") ? .close : TestServer.answer("200 OK")
        }
        defer { server.stop() }
        let multi = try HTTPMulti<Int>(ServerAddress(server.url), connections: 20)
        for tag in 0..<6 { try multi.begin(.get(tag == 3 ? "/bad" : "/good"), tag: tag) }
        let outcomes = try outcomes(multi, 6)
        for tag in 0..<6 {
            switch try #require(outcomes[tag]) {
            case .success(let answer): #expect(tag != 3 && answer.status == 200)
            case .failure(let failure): #expect(tag == 3 && failure.kind == .broken)
            }
        }
        #expect(throws: HTTPFailure.self) { try multi.begin(.get("no path"), tag: 7) }
        #expect(multi.count == 0)
    }

    @Test("one asks several servers, and what is cancelled says no more")
    func several() throws {
        let one = try TestServer { _, _ in .silence }
        let other = try TestServer { _, _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother")
        }
        let multi = try HTTPMulti<Int>(ServerAddress(one.url), connections: 3)
        try multi.begin(.get("/a"), tag: 1)
        try multi.begin(.get("/b"), to: ServerAddress(other.url), tag: 2)
        let answer = try outcomes(multi, 1)[2]?.get()
        #expect(answer.map { String(decoding: $0.body, as: UTF8.self) } == "other")
        multi.cancelAll()
        #expect(multi.count == 0)
        #expect(try multi.wait(20).isEmpty)
    }
}
