import Curl
import TestSupport
import Testing

@testable import Engine

@Suite("asking an engine")
struct EngineSessionTests {
    private static let read = EngineRequest.read("SELECT 1")

    @Test(
        "a statement goes with database, settings that the server knows, and credentials in fields")
    func request() throws {
        let engine = try FakeEngine { statement, _ in
            FakeEngine.ok(statement.hasPrefix("INSERT") ? "" : "\u{01}")
        }
        let session = try FakeEngine.session([[engine]])
        #expect(try session.send(Self.read, toShard: 0) == [1])
        _ = try session.send(.insert([7, 8], into: "node", ["a", "b"]), toShard: 0)
        let (select, insert) = (engine.server.requests[2], engine.server.requests[3])
        #expect(String(decoding: select.body, as: UTF8.self) == "SELECT 1 FORMAT RowBinary")
        #expect(select.line.contains("wait_end_of_query=1"))
        #expect(select.line.contains("&database=sojourn"))
        #expect(!select.line.contains("join_use_nulls"), "the server does not know it")
        #expect(select.field("X-ClickHouse-User") == "sojourn")
        #expect(select.field("X-ClickHouse-Key") == "s3cret")
        #expect(!select.line.contains("s3cret"))
        #expect(insert.body == [7, 8])
        #expect(FakeEngine.statement(insert) == "INSERT INTO node (a, b) FORMAT RowBinary")
        #expect(insert.line.contains("&async_insert=0"), "the server knows it")
        // What the server is was asked once.
        #expect(engine.server.requests.count == 4)
    }

    @Test(
        "rows are not taken where the answer says something",
        arguments: ["<html>", "Code: 252, e.what() = DB::Exception", " "])
    func saidSomething(body: String) throws {
        let engine = try FakeEngine { _, _ in FakeEngine.ok(body) }
        let session = try FakeEngine.session([[engine]])
        let error = try #require(
            Self.failure { () throws(EngineError) in
                try session.send(.insert([7], into: "node", ["a"]), toShard: 0)
            })
        #expect(error.kind == (body.hasPrefix("Code") ? .exception : .status))
    }

    @Test(
        "every status but 200 is a failure, and one that names a code says what the engine says",
        arguments: [201, 204, 301, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504])
    func statuses(status: Int) throws {
        let engine = try FakeEngine { _, before in
            before == 0
                ? .raw(FakeEngine.answer("\(status) X", status == 204 ? "" : "no\nmore"))
                : .raw(FakeEngine.answer("\(status) X", "Code: 252, e.what() = DB::Exception"))
        }
        let session = try FakeEngine.session([[engine]])
        let plain = try #require(
            Self.failure { () throws(EngineError) in
                try session.send(Self.read, toShard: 0)
            })
        #expect(plain.kind == .status && plain.description.contains("status \(status)"))
        #expect(!plain.description.contains("more") && !plain.description.contains("s3cret"))
        if status == 204 { return }
        let told = try #require(
            Self.failure { () throws(EngineError) in
                try session.send(Self.read, toShard: 0)
            })
        #expect(told.kind == .exception && told.code == 252)
    }

    @Test("a 200 that names an exception is none")
    func exceptionInSuccess() throws {
        let engine = try FakeEngine { _, _ in
            .raw(FakeEngine.answer("200 OK", "\u{01}", "X-ClickHouse-Exception-Code: 153\r\n"))
        }
        let session = try FakeEngine.session([[engine]])
        let error = try #require(
            Self.failure { () throws(EngineError) in
                try session.send(Self.read, toShard: 0)
            })
        #expect(error.kind == .exception && error.code == 153)
    }

    @Test("an answer that is cut anywhere is a failure")
    func cuts() throws {
        let whole = FakeEngine.answer("200 OK", "\u{01}\u{02}\u{03}\u{04}")
        for length in 0..<whole.utf8.count {
            let piece = String(whole.utf8.prefix(length)) ?? ""
            let engine = try FakeEngine { _, _ in .rawThenClose(piece) }
            let session = try FakeEngine.session([[engine]])
            let error = Self.failure { () throws(EngineError) in
                try session.send(Self.read, toShard: 0)
            }
            #expect(error?.kind == .cut, "cut at \(length): \(String(describing: error))")
        }
    }

    @Test("one that ends with the connection may be cut, and is none")
    func noLength() throws {
        for field in ["", "Transfer-Encoding: gzip\r\n"] {
            let answer = "HTTP/1.1 200 OK\r\n\(field)\r\n\u{01}"
            let engine = try FakeEngine { _, _ in .rawThenClose(answer) }
            let session = try FakeEngine.session([[engine]])
            let error = Self.failure { () throws(EngineError) in
                try session.send(Self.read, toShard: 0)
            }
            #expect(error?.kind == .cut, "\(field)")
        }
    }

    @Test("what is told of a failure has neither password nor statement")
    func masked() throws {
        for said in ["X-ClickHouse-Key: s3cret", "at: SELECT 1 FORMAT RowBinary ="] {
            let engine = try FakeEngine { _, _ in
                .raw(FakeEngine.answer("500 X", "Code: 62. DB::Exception: no \(said) more"))
            }
            let session = try FakeEngine.session([[engine]])
            let error = try #require(
                Self.failure { () throws(EngineError) in try session.send(Self.read, toShard: 0) })
            #expect(error.code == 62 && error.description.contains("DB::Exception: no "))
            for part in ["s3cret", "SELECT", "more"] {
                #expect(!error.description.contains(part), "\(error)")
            }
        }
    }

    @Test("who may not, or not with that password, is refused and told where to look")
    func rights() throws {
        for (code, kind, setting) in [
            (193, EngineError.Kind.refused, "forward-password-file"),
            (516, .refused, "forward-user"), (497, .exception, "forward-database"),
        ] {
            let engine = try FakeEngine { _, _ in
                .raw(FakeEngine.answer("403 X", "Code: \(code). DB::Exception: no"))
            }
            let session = try FakeEngine.session([[engine]])
            let error = Self.failure { () throws(EngineError) in
                try session.send(Self.read, toShard: 0)
            }
            #expect(error?.kind == kind && error?.description.contains(setting) == true)
        }
    }

    @Test("a report is charged for what has come of an answer")
    func received() throws {
        let engine = try FakeEngine { _, _ in
            FakeEngine.ok(String(repeating: "x", count: 100_000))
        }
        let access = EngineAccess(
            shards: [[try ServerAddress(engine.server.url)]], user: "sojourn", password: "",
            database: "sojourn", timeout: 5_000)
        var told: [Int] = []
        let session = try EngineSession(
            EngineServers(access, identity: nil), received: { told.append($0) })
        _ = try session.send(Self.read, toShard: 0)
        #expect(told.contains(100_000) && told.last == 0)
    }

    @Test("a statement that nobody waits for any more is ended at the engine")
    func ended() throws {
        let engine = try FakeEngine { statement, _ in
            statement.hasPrefix("KILL") ? FakeEngine.ok("") : .silence
        }
        let access = EngineAccess(
            shards: [[try ServerAddress(engine.server.url)]], user: "sojourn", password: "",
            database: "sojourn", timeout: 5_000)
        let reading = try EngineReading(
            EngineServers(access, identity: nil), timeout: 100, isUnwanted: { false })
        let error = Self.failure { () throws(EngineError) in try reading.read("SELECT 1") }
        #expect(error?.kind == .interrupted)
        let requests = engine.server.requests
        try #require(requests.count == 3)
        let (select, kill) = (requests[1], requests[2])
        let name = try #require(select.line.firstMatch(of: /query_id=([^& ]+)/)?.1)
        #expect(
            FakeEngine.statement(kill)
                == "KILL QUERY WHERE query_id = \(EngineLiteral.text(String(name))) ASYNC")
    }

    @Test("an address beside others of its shard has tables that are replicated")
    func unreplicated() throws {
        let engines = try (0..<2).map { _ in
            try FakeEngine(plain: "batch") { _, _ in FakeEngine.ok("\u{01}") }
        }
        let session = try FakeEngine.session([engines])
        let error = Self.failure { () throws(EngineError) in
            try session.send(Self.read, toShard: 0)
        }
        #expect(error?.kind == .stranger)
        let alone = try FakeEngine.session([[engines[0]]])
        #expect(try alone.send(Self.read, toShard: 0) == [1])
    }

    @Test("nobody there, no answer in time, and no wish for one any more")
    func noAnswer() throws {
        let gone = try FakeEngine { _, _ in .silence }
        let session = try FakeEngine.session([[gone]], timeout: 300)
        #expect(
            Self.failure { () throws(EngineError) in try session.send(Self.read, toShard: 0) }?
                .kind == .timeout)
        let unwanted = try FakeEngine.session([[gone]]) { () throws(EngineError) in
            if gone.statements.count > 1 { throw EngineError(.interrupted, "enough") }
        }
        #expect(
            Self.failure { () throws(EngineError) in try unwanted.send(Self.read, toShard: 0) }?
                .kind == .interrupted)
        gone.server.stop()
        let late = try FakeEngine.session([[gone]])
        let error = Self.failure { () throws(EngineError) in
            try late.send(Self.read, toShard: 0)
        }
        #expect([.refused, .cut].contains(error?.kind))
    }

    @Test("of replicas the first that answers is used, and then asked first")
    func replicas() throws {
        let bad = try FakeEngine { _, _ in .close }
        let good = try FakeEngine { _, _ in FakeEngine.ok("\u{05}") }
        let session = try FakeEngine.session([[bad, good]])
        #expect(try session.send(Self.read, toShard: 0) == [5])
        // libcurl tries once more where a kept connection was closed.
        let tries = bad.statements.count
        #expect((1...2).contains(tries))
        #expect(try session.send(Self.read, toShard: 0) == [5])
        #expect(bad.statements.count == tries && good.statements.count == 2)
    }

    @Test("all shards are asked the same, and one that fails is no part of an answer")
    func shards() throws {
        let identity = EngineIdentity(keyCheck: "aa", schema: 1, shards: 2)
        func facts(_ place: String) -> [String: String] {
            ["schema": "1", "master_key_check": "aa", "shard": place]
        }
        let one = try FakeEngine(facts: facts("1/2")) { _, _ in FakeEngine.ok("\u{01}") }
        let two = try FakeEngine(facts: facts("2/2")) { _, before in
            before == 0 ? FakeEngine.ok("\u{02}") : .close
        }
        let session = try FakeEngine.session([[one], [two]], identity: identity)
        #expect(try session.sendToAll(Self.read) == [[1], [2]])
        #expect(
            Self.failure { () throws(EngineError) in try session.sendToAll(Self.read) }?.kind
                == .cut)
        let swapped = try FakeEngine.session([[two], [one]], identity: identity)
        #expect(
            Self.failure { () throws(EngineError) in try swapped.sendToAll(Self.read) }?.kind
                == .stranger)
    }

    @Test(
        "a server of another key, another shard or an older schema is given nothing",
        arguments: [
            (["schema": "1", "master_key_check": "bb", "shard": "1/1"], EngineError.Kind.stranger),
            (["schema": "1", "master_key_check": "aa", "shard": "1/2"], .stranger),
            (["schema": "0", "master_key_check": "aa", "shard": "1/1"], .schema),
            (["schema": "2", "master_key_check": "aa"], .schema), ([:], .schema),
        ])
    func strangers(facts: [String: String], kind: EngineError.Kind) throws {
        let engine = try FakeEngine(facts: facts) { _, _ in FakeEngine.ok("") }
        let session = try FakeEngine.session([[engine]])
        let error = Self.failure { () throws(EngineError) in
            try session.send(.insert([1], into: "batch", ["a"]), toShard: 0)
        }
        #expect(error?.kind == kind)
        #expect(engine.statements == [])
    }

    @Test("a newer schema than the program's is taken")
    func newer() throws {
        let engine = try FakeEngine(facts: [
            "schema": "9", "master_key_check": "aa", "shard": "1/1",
        ]) { _, _ in FakeEngine.ok("\u{01}") }
        #expect(try FakeEngine.session([[engine]]).send(Self.read, toShard: 0) == [1])
    }

    private static func failure<T>(_ work: () throws(EngineError) -> T) -> EngineError? {
        do throws(EngineError) {
            _ = try work()
            return nil
        } catch {
            return error
        }
    }
}
