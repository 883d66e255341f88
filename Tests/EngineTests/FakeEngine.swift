import Curl
import Foundation
import Synchronization
import TestSupport

@testable import Engine

/// An engine of a few lines: it says what it is, and answers everything else as it is told to.
final class FakeEngine: Sendable {
    static let identity = EngineIdentity(keyCheck: "aa", schema: 1, shards: 1)

    let server: TestServer

    /// Statements that were neither of the two about the engine itself.
    var statements: [String] { server.requests.map(Self.statement).filter { !Self.isOfItself($0) } }

    /// - Parameters:
    ///   - plain: a table that nothing replicates; empty: there is none
    ///   - facts: what `meta` says
    ///   - reply: to a statement, and how many came before it
    init(
        plain: String = "",
        facts: [String: String] = ["schema": "1", "master_key_check": "aa", "shard": "1/1"],
        _ reply: @escaping @Sendable (_ statement: String, _ before: Int) -> TestServer.Reply
    ) throws {
        let count = Atomic(0)
        server = try TestServer { [count = Box(count)] request, _ in
            let statement = Self.statement(request)
            if statement.contains("system.settings") { return Self.ok("\u{0C}async_insert") }
            if statement.contains(".meta FINAL") {
                return Self.ok(facts.map { Self.text($0.key) + Self.text($0.value) }.joined())
            }
            if statement.contains("system.tables") {
                return Self.ok(plain.isEmpty ? "" : Self.text(plain))
            }
            return reply(statement, count.value.add(1, ordering: .relaxed).oldValue)
        }
    }

    private final class Box: Sendable {
        let value: Atomic<Int>
        init(_ value: consuming Atomic<Int>) { self.value = value }
    }

    /// A session that asks these engines: a list of replicas for each shard.
    static func session(
        _ shards: [[FakeEngine]], identity: EngineIdentity? = FakeEngine.identity,
        timeout: Int = 5_000, check: @escaping () throws(EngineError) -> Void = {}
    ) throws -> EngineSession {
        let access = EngineAccess(
            shards: try shards.map { try $0.map { try ServerAddress($0.server.url) } },
            user: "sojourn", password: "s3cret", database: "sojourn", timeout: timeout)
        return try EngineSession(EngineServers(access, identity: identity), check: check)
    }

    /// Status 200.
    static func ok(_ body: String) -> TestServer.Reply { .raw(answer("200 OK", body)) }

    static func answer(_ status: String, _ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    /// A text of an answer, below 128 bytes.
    private static func text(_ text: String) -> String {
        String(UnicodeScalar(UInt8(text.utf8.count))) + text
    }

    private static func isOfItself(_ statement: String) -> Bool {
        ["system.settings", ".meta FINAL", "system.tables"].contains { statement.contains($0) }
    }

    /// From the URL where rows go with it, else the body.
    static func statement(_ request: TestServer.Request) -> String {
        guard let begin = request.line.firstRange(of: "&query=") else {
            return String(decoding: request.body, as: UTF8.self)
        }
        let rest = request.line[begin.upperBound...].prefix { $0 != "&" && $0 != " " }
        return String(rest).removingPercentEncoding ?? ""
    }
}
