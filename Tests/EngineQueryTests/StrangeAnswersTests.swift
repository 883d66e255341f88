import Engine
import EngineQuery
import Events
import Query
import StoreTestSupport
import Synchronization
import TestSupport
import Testing
import TimeZones

/// Answers whatever comes: bytes in no order, so that counts are as great and texts as long as can be.
private final class StrangeReader: EngineReader {
    let shards: Int
    private let random: Mutex<SplitMix>
    private let left: Mutex<Int>

    init(shards: Int, seed: UInt64, answers: Int) {
        self.shards = shards
        random = Mutex(SplitMix(seed: seed))
        left = Mutex(answers)
    }

    func check() throws(EngineError) {}

    func read(_ statement: String) throws(EngineError) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for shard in 0..<shards { all.append(try read(statement, shard: shard)) }
        return all
    }

    func read(_ statement: String, shard: Int) throws(EngineError) -> [UInt8] {
        let isOver = left.withLock { left in
            left -= 1
            return left < 0
        }
        if isOver { throw EngineError(.cut, "no answer") }
        return random.withLock { random in
            let words: [UInt64] = [
                0, 1, 2, .max, 1 << 63, 1 << 53, 1 << 63 - 1, UInt64(20_540), random.next(),
                0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000, 0x3030_3030_3030_3000,
            ]
            var answer: [UInt8] = []
            for _ in 0..<random.next(60) {
                if random.oneIn(3) {
                    answer.append(random.pick([0, 1, 2, 16, 255]))
                } else {
                    withUnsafeBytes(of: random.pick(words)) { answer += $0 }
                }
            }
            return answer
        }
    }
}

/// Answers every question with the same bytes.
private struct OneAnswer: EngineReader {
    let answer: [UInt8]
    var shards: Int { 1 }

    func check() throws(EngineError) {}
    func read(_ statement: String) throws(EngineError) -> [[UInt8]] { [answer] }
    func read(_ statement: String, shard: Int) throws(EngineError) -> [UInt8] { answer }
}

@Suite("whatever the engine answers")
struct StrangeAnswersTests {
    private static let app = QueryApp(
        id: 1, name: "shop", timeZone: "UTC", sessionTimeout: 600_000)

    private static func scope(_ random: inout SplitMix) throws -> QueryScope {
        let zone = try TimeZoneRules(name: random.pick(["UTC", "Europe/Paris"]))
        let from = CivilDate(number: 20_540)
        return QueryScope(
            app: app, now: noon, zone: zone, today: zone.day(at: noon), from: from,
            to: from.adding(days: random.pick([0, 3, 60])), filter: .everything)
    }

    @Test("no question traps", arguments: 0..<Asked.kinds)
    func questions(kind: Int) throws {
        var random = SplitMix(seed: UInt64(kind))
        for round in 0..<400 {
            let reader = StrangeReader(
                shards: 1 + round % 3, seed: random.next(), answers: 1 + random.next(12))
            let scope = try Self.scope(&random)
            let question = Asked.random(kind, &random)
            do {
                _ = try question.answer(scope, EngineQueries(reader))
            } catch let error as QueryError {
                #expect(error.kind == .unavailable)
            }
        }
    }

    @Test("a bucket that the question has not is none", arguments: [Int64(-1), 1, 32, .max, .min])
    func buckets(number: Int64) throws {
        var random = SplitMix(seed: 1)
        let scope = try Self.scope(&random)
        let one = QueryScope(
            app: scope.app, now: scope.now, zone: scope.zone, today: scope.today,
            from: scope.from, to: scope.from, filter: .everything)
        // A name with one bucket, and a value of a version.
        var sums = RowBinary.Writer()
        sums.string("x")
        sums.raw([1])
        sums.int64(number)
        for _ in 0..<3 {
            sums.raw([1])
            sums.int64(1)
        }
        sums.raw([1, 0])
        sums.int64(1)
        var versions = RowBinary.Writer()
        versions.int64(number)
        versions.string("x")
        versions.int64(1)
        versions.int64(0)
        let queries = EngineQueries(OneAnswer(answer: sums.bytes))
        #expect(throws: QueryError.self) {
            try queries.events(one, by: .day, limit: 5)
        }
        #expect(throws: QueryError.self) {
            try queries.counters(one, by: .day, limit: 5)
        }
        #expect(throws: QueryError.self) {
            try EngineQueries(OneAnswer(answer: versions.bytes)).versions(
                one, by: "os.name", interval: nil, limit: 5)
        }
    }

    @Test("no export traps, and no record of a device")
    func lines() throws {
        var random = SplitMix(seed: 1)
        for round in 0..<2000 {
            let reader = StrangeReader(
                shards: 1 + round % 3, seed: random.next(), answers: 1 + random.next(6))
            let queries = EngineQueries(reader)
            let device = DeviceHash(high: random.next(), low: 1)
            do {
                var cursor =
                    random.oneIn(2)
                    ? EventCursor(try Self.scope(&random)) : EventCursor(of: device, in: Self.app)
                while !cursor.isDone {
                    _ = try EventLines.next(&cursor, limit: 1 + random.next(3), queries)
                }
            } catch let error as QueryError {
                #expect(error.kind == .unavailable)
            }
            do {
                _ = try queries.device(device, of: Self.app)
            } catch {
                #expect(error.kind == .unavailable)
            }
        }
    }

    @Test("a report that holds too much, or is not wanted any more, ends")
    func ends() throws {
        var random = SplitMix(seed: 2)
        let memory = ReportMemory(limit: 1000)
        let account = memory.account(of: nil)
        let reader = StrangeReader(shards: 1, seed: 3, answers: 1000)
        let over = EngineQueries(reader, Interruption(account))
        var room = HeldBytes(account, 5000)
        for kind in 0..<Asked.kinds {
            let scope = try Self.scope(&random)
            let error = #expect(throws: QueryError.self) {
                try Asked.random(kind, &random).answer(scope, over)
            }
            #expect(error?.kind == .overMemory)
        }
        room.set(0)
        let interruption = Interruption()
        let queries = EngineQueries(reader, interruption)
        interruption.raise()
        for kind in 0..<Asked.kinds {
            let scope = try Self.scope(&random)
            let error = #expect(throws: QueryError.self) {
                try Asked.random(kind, &random).answer(scope, queries)
            }
            #expect(error?.kind == .interrupted)
        }
    }
}
