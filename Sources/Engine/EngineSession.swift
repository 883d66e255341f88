import Curl

/// Asks the engine's servers: on one thread, over connections that are kept. Every request is made of one
/// server; where one shard has several replicas, the first that answers is used.
package final class EngineSession {
    /// Bytes of an answer.
    private static let answerLimit = 256 << 20
    /// Milliseconds until a connection is made: another replica may be there.
    private static let connectTimeout = 3_000
    /// Milliseconds between two looks at whether the answer is wanted still.
    private static let glance = 20

    package let servers: EngineServers
    private let multi: HTTPMulti<Int>
    /// Throws where the one who asked does not want an answer any more.
    private let check: () throws(EngineError) -> Void
    /// Told how many bytes of answers are held that are not whole yet.
    private let received: (Int) -> Void

    /// Connects to nobody yet.
    /// - Parameters:
    ///   - check: called every now and then while an answer is awaited; what it throws ends the request
    ///   - received: told every now and then how many bytes of answers have come that nobody has got yet
    package init(
        _ servers: EngineServers, check: @escaping () throws(EngineError) -> Void = {},
        received: @escaping (Int) -> Void = { _ in }
    ) throws(EngineError) {
        self.servers = servers
        self.received = received
        self.check = check
        var limits = HTTPClient.AnswerLimits()
        limits.bodyLimit = Self.answerLimit
        limits.connectTimeout = Self.connectTimeout
        limits.totalTimeout = servers.access.timeout
        limits.needsLength = true
        do throws(HTTPFailure) {
            multi = try HTTPMulti(
                servers.access.shards[0][0], limits: limits,
                connections: 2 * servers.access.shards.count + 2)
        } catch {
            throw EngineError(error)
        }
    }

    /// Has one server do something.
    /// - Parameters:
    ///   - shard: which one it is, from 0
    ///   - needsTables: it has to be what it should be; false before its tables are made
    ///   - inDatabase: names of tables are those of our database; false before there is one
    ///   - timeout: milliseconds
    package func send(
        _ request: EngineRequest, to server: ServerAddress, shard: Int, needsTables: Bool = true,
        inDatabase: Bool = true, timeout: Int? = nil
    ) throws(EngineError) -> [UInt8] {
        let known = try knowledge(of: server, shard: shard, needsTables: needsTables)
        let timeout = timeout ?? servers.access.timeout
        let http = request.http(
            servers.access, known: known, inDatabase: inDatabase, seconds: timeout / 1000 + 1)
        return try perform([Call(request, http, to: server, timeout)])[0].get()
    }

    /// The one who asked does not want answers any more.
    package var isInterrupted: Bool {
        do throws(EngineError) {
            try check()
            return false
        } catch {
            return true
        }
    }

    /// Something that one server is to do.
    package struct Order {
        package let request: EngineRequest
        package let server: ServerAddress
        /// Which one it is, from 0.
        package let shard: Int

        package init(_ request: EngineRequest, to server: ServerAddress, shard: Int) {
            (self.request, self.server, self.shard) = (request, server, shard)
        }
    }

    /// A server of each shard that answers and is what it should be: the one that answered last, if it is.
    package func currentServers() throws(EngineError) -> [ServerAddress] {
        var current: [ServerAddress] = []
        for shard in servers.access.shards.indices {
            current.append(try currentServer(ofShard: shard))
        }
        return current
    }

    /// - Throws: where no replica is what it should be: the first one's reason
    private func currentServer(ofShard shard: Int) throws(EngineError) -> ServerAddress {
        var first: EngineError?
        for server in servers.replicas(ofShard: shard) {
            do throws(EngineError) {
                _ = try knowledge(of: server, shard: shard, needsTables: true)
                servers.prefer(server, ofShard: shard)
                return server
            } catch {
                guard error.isOfOneServer else { throw error }
                first = first ?? error
            }
        }
        throw first ?? EngineError(.refused, "no replica of shard \(shard + 1) answers")
    }

    /// Has servers do something at once. One that fails is not the first that is asked from now on.
    /// - Parameter timeout: milliseconds
    /// - Returns: an answer to each, in their order
    /// - Throws: the first one's error, when all have ended
    package func perform(
        _ orders: [Order], timeout: Int? = nil
    ) throws(EngineError) -> [[UInt8]] {
        var answers: [[UInt8]] = []
        for result in try attempt(orders, timeout: timeout) { answers.append(try result.get()) }
        return answers
    }

    /// The same, where each order has a result of its own.
    private func attempt(
        _ orders: [Order], timeout: Int? = nil
    ) throws(EngineError) -> [Result<[UInt8], EngineError>] {
        let timeout = timeout ?? servers.access.timeout
        var requests: [Call] = []
        // One that cannot even say what it is has failed like one that does not answer.
        var failures: [Int: EngineError] = [:]
        for (index, order) in orders.enumerated() {
            do throws(EngineError) {
                let known = try knowledge(of: order.server, shard: order.shard, needsTables: true)
                let http = order.request.http(
                    servers.access, known: known, inDatabase: true, seconds: timeout / 1000 + 1)
                requests.append(Call(order.request, http, to: order.server, timeout))
            } catch {
                guard error.isOfOneServer else { throw error }
                failures[index] = error
            }
        }
        var answers = try perform(requests).makeIterator()
        var results: [Result<[UInt8], EngineError>] = []
        for index in orders.indices {
            if let failure = failures[index] {
                results.append(.failure(failure))
            } else if let answer = answers.next() {
                results.append(answer)
            }
        }
        for (order, result) in zip(orders, results) {
            if case .failure = result { servers.passOver(order.server, ofShard: order.shard) }
        }
        return results
    }

    /// Has servers do at once what may as well fail: it has no part in which of them is asked next, and nothing is
    /// asked of one before.
    /// - Parameter milliseconds: for all of them
    /// - Returns: an answer to each, in their order; nil: none
    package func performBriefly(_ orders: [Order], within milliseconds: Int) -> [[UInt8]?] {
        let calls = orders.map { order in
            Call(
                order.request,
                order.request.http(
                    servers.access, known: nil, inDatabase: true, seconds: milliseconds / 1000 + 1),
                to: order.server, milliseconds)
        }
        let results = try? perform(calls)
        return orders.indices.map { try? results?[$0].get() }
    }

    /// Has a shard do something: its replicas are tried in turn.
    package func send(
        _ request: EngineRequest, toShard shard: Int, timeout: Int? = nil
    ) throws(EngineError) -> [UInt8] {
        try send(request, toShards: [shard], timeout: timeout)[0]
    }

    /// Has all shards do the same at once.
    /// - Returns: an answer of each, in their order
    package func sendToAll(
        _ request: EngineRequest, timeout: Int? = nil
    ) throws(EngineError) -> [[UInt8]] {
        try send(request, toShards: Array(servers.access.shards.indices), timeout: timeout)
    }

    private func send(
        _ request: EngineRequest, toShards shards: [Int], timeout: Int?
    ) throws(EngineError) -> [[UInt8]] {
        var chosen: [Int: ServerAddress] = [:]
        return try send(request, toShards: shards, &chosen) { timeout }
    }

    /// Has shards do the same at once. A replica that fails gives way to the next one.
    /// - Parameters:
    ///   - chosen: the replica that is asked, by shard; the one that answered stays there
    ///   - timeout: milliseconds, asked before each try; nil: those of the settings
    func send(
        _ request: EngineRequest, toShards shards: [Int], _ chosen: inout [Int: ServerAddress],
        timeout: () -> Int?
    ) throws(EngineError) -> [[UInt8]] {
        var answers = [[UInt8]](repeating: [], count: shards.count)
        var tries = shards.map { servers.access.shards[$0].count }
        var missing = Array(shards.indices)
        while !missing.isEmpty {
            var orders: [Order] = []
            for index in missing {
                let shard = shards[index]
                let known = chosen[shard]
                let server = if let known { known } else { try currentServer(ofShard: shard) }
                chosen[shard] = server
                orders.append(Order(request, to: server, shard: shard))
            }
            let results = try attempt(orders, timeout: timeout())
            var failed: [Int] = []
            for (index, result) in zip(missing, results) {
                switch result {
                case .success(let answer): answers[index] = answer
                case .failure(let error):
                    tries[index] -= 1
                    guard error.isOfOneServer, tries[index] > 0 else { throw error }
                    chosen[shards[index]] = nil
                    failed.append(index)
                }
            }
            missing = failed
        }
        return answers
    }

    /// What settings a server knows; asks it where that is not known, and whether it is what it should be.
    private func knowledge(
        of server: ServerAddress, shard: Int, needsTables: Bool
    ) throws(EngineError) -> Set<String>? {
        var knowledge = servers.knowledge(of: server)
        if knowledge.settings == nil {
            let names = EngineSettings.asked.map { "'\($0)'" }.joined(separator: ", ")
            var reader = RowBinary.Reader(
                try askPlainly("SELECT name FROM system.settings WHERE name IN (\(names))", server))
            var known: Set<String> = []
            while !reader.isAtEnd { known.insert(try reader.text(server)) }
            knowledge.settings = known
            servers.learn(knowledge, of: server)
        }
        if needsTables, !knowledge.isVerified, let identity = servers.identity {
            let facts = try facts(of: server)
            if let objection = identity.objection(
                to: facts, shard: shard, server, servers.access.database)
            {
                throw objection
            }
            if servers.access.shards[shard].count > 1 { try expectReplicated(server) }
            knowledge.isVerified = true
            servers.learn(knowledge, of: server)
        }
        return knowledge.settings
    }

    /// What the tables of a server say of themselves; nothing where there are none.
    package func facts(of server: ServerAddress) throws(EngineError) -> [String: String] {
        let answer: [UInt8]
        do throws(EngineError) {
            answer = try askPlainly(
                "SELECT name, value FROM \(servers.access.database).meta FINAL", server)
        } catch {
            // There is no such table, or no such database.
            if let code = error.code, [60, 81].contains(code) { return [:] }
            throw error
        }
        var reader = RowBinary.Reader(answer)
        var facts: [String: String] = [:]
        while !reader.isAtEnd { facts[try reader.text(server)] = try reader.text(server) }
        return facts
    }

    /// Looks at a server that is one of several replicas.
    /// - Throws: `stranger` where it has tables that nothing replicates: the shard was made with one address
    func expectReplicated(_ server: ServerAddress) throws(EngineError) {
        let plain = try askPlainly(
            """
            SELECT name FROM system.tables WHERE engine = 'ReplacingMergeTree'
                AND database = \(EngineLiteral.text(servers.access.database))
            """, server)
        guard plain.isEmpty else {
            throw EngineError(
                .stranger,
                "engine \(server.origin) has tables that nothing replicates, since the shard was made with "
                    + "one address: name that one alone")
        }
    }

    /// Asks with settings that every server knows.
    private func askPlainly(
        _ statement: String, _ server: ServerAddress
    ) throws(EngineError) -> [UInt8] {
        let timeout = servers.access.timeout
        let request = EngineRequest.read(statement)
        let http = request.http(
            servers.access, known: nil, inDatabase: false, seconds: timeout / 1000 + 1)
        return try perform([Call(request, http, to: server, timeout)])[0].get()
    }

    /// One request on its way.
    private struct Call {
        let server: ServerAddress
        let http: HTTPRequest
        /// Milliseconds.
        let timeout: Int
        /// A good answer has nothing in it.
        let isAnsweredEmpty: Bool
        let statement: String

        init(
            _ request: EngineRequest, _ http: HTTPRequest, to server: ServerAddress, _ timeout: Int
        ) {
            (self.server, self.http, self.timeout) = (server, http, timeout)
            isAnsweredEmpty = request.effect == .writes
            statement = request.statement
        }
    }

    /// Makes requests at once and waits for all of them.
    private func perform(
        _ requests: [Call]
    ) throws(EngineError) -> [Result<[UInt8], EngineError>] {
        var results = requests.map { _ in
            Result<[UInt8], EngineError>.failure(EngineError(.cut, "no answer"))
        }
        // Whatever ends it leaves no request that a later one could take for its own.
        defer {
            if multi.count > 0 { multi.cancelAll() }
            received(0)
        }
        var ended = 0
        for (index, call) in requests.enumerated() {
            try transfer { () throws(HTTPFailure) in
                try multi.begin(
                    call.http, to: call.server, tag: index, totalTimeout: call.timeout)
            }
        }
        while multi.count > 0 {
            let outcomes = try transfer { () throws(HTTPFailure) in try multi.wait(Self.glance) }
            for outcome in outcomes {
                let result = read(outcome.result, of: requests[outcome.tag])
                if case .success(let answer) = result { ended += answer.count }
                results[outcome.tag] = result
            }
            received(ended + multi.received)
            try check()
        }
        return results
    }

    private func transfer<T>(
        _ work: () throws(HTTPFailure) -> T
    ) throws(EngineError) -> T {
        do throws(HTTPFailure) { return try work() } catch { throw EngineError(error) }
    }

    private func read(
        _ result: Result<HTTPAnswer, HTTPFailure>, of call: Call
    ) -> Result<[UInt8], EngineError> {
        switch result {
        case .failure(let failure): return .failure(EngineError(failure))
        case .success(let answer):
            // A good answer with something in it may be a page of something that stands between us and the
            // engine, or an exception's text.
            guard answer.status == 200, answer.field("X-ClickHouse-Exception-Code") == nil,
                !call.isAnsweredEmpty || answer.body.isEmpty
            else {
                return .failure(
                    EngineError(
                        status: answer, origin: call.server.origin,
                        without: [servers.access.password, call.statement]))
            }
            return .success(answer.body)
        }
    }
}

extension EngineError {
    /// An answer that is not what was asked for.
    package init(_ failure: RowBinary.Failure, from server: String) {
        self.init(.cut, "engine \(server): \(failure)")
    }
}

extension RowBinary.Reader {
    /// A text of an answer of a server.
    fileprivate mutating func text(_ server: ServerAddress) throws(EngineError) -> String {
        do throws(RowBinary.Failure) { return try string() } catch {
            throw EngineError(error, from: server.origin)
        }
    }
}
