import Dispatch
import Query
import Reports
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Database
@testable import Service

/// docs/operation.md, Settings: `report-timeout`.
@Suite("computing reports", .serialized)
struct ReportExecutorTests {
    private let site: ReportTestSite

    init() throws { site = try ReportTestSite() }

    /// What came of reports, in the order in which it was told.
    private final class Told: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ text: String) { list.withLock { $0.append(text) } }
        func add(_ failure: ReportFailure) {
            switch failure {
            case .timeout: add("timeout")
            case .closing: add("closing")
            case .tooLarge: add("too large")
            case .overloaded: add("overloaded")
            case .database(let error): add(error.isInterruption ? "interrupted" : "database")
            }
        }
    }

    /// A report that computes until it is let go.
    private func hold(
        _ executor: ReportExecutor, _ gate: DispatchSemaphore, _ name: String, _ told: Told,
        began: Told = Told(), of token: Int64? = nil, continuesStream: Bool = false
    ) -> ReportJob? {
        executor.submit(of: token, continuesStream: continuesStream) { _, _ in
            began.add(name)
            gate.wait()
            return { told.add(name) }
        } failed: {
            told.add($0)
        }
    }

    /// Computes in one statement for a minute, or till it is interrupted.
    private static let endless = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000000)
        SELECT count(*) FROM n
        """

    private static func compute(_ connection: Connection) throws(StorageError) {
        _ = try connection.integer(endless)
    }

    @Test("four compute at once, 64 wait in order, and the next is turned away")
    func limits() throws {
        let executor = site.executor()
        let gate = DispatchSemaphore(value: 0)
        let (told, began) = (Told(), Told())
        for place in 0..<68 {
            #expect(hold(executor, gate, "\(place)", told, began: began) != nil)
        }
        #expect(hold(executor, gate, "68", told) == nil)
        #expect(eventually { began.all.count == 4 })
        // A stream that has begun is not turned away.
        #expect(hold(executor, gate, "68", told, began: began, continuesStream: true) != nil)
        for place in 0..<65 {
            #expect(began.all.count == 4 + place)
            gate.signal()
            #expect(eventually { began.all.count == 5 + place })
        }
        for _ in 0..<4 { gate.signal() }
        #expect(eventually { told.all.count == 69 })
        #expect(began.all.prefix(4).sorted() == ["0", "1", "2", "3"])
        #expect(began.all.dropFirst(4) == (4...68).map { "\($0)" }[...])
        #expect(executor.close())
    }

    @Test("what computes is known by its name and its begin, and what waits or has ended is not")
    func readers() {
        let executor = site.executor()
        let gate = DispatchSemaphore(value: 0)
        let before = Timestamp.milliseconds
        for number in 0..<5 {
            _ = executor.submit(named: "report \(number)") { _, _ in
                gate.wait()
                return {}
            } failed: { _ in
            }
        }
        #expect(eventually { executor.computing.count == 4 })
        let computing = executor.computing
        #expect(Set(computing.map(\.what)) == ["report 0", "report 1", "report 2", "report 3"])
        #expect(computing.allSatisfy { (before...Timestamp.milliseconds).contains($0.since) })
        for _ in 0..<5 { gate.signal() }
        #expect(eventually { executor.computing.isEmpty })
        #expect(executor.close())
    }

    @Test("a report that takes too long is told so in time, and its connection is good afterwards")
    func timeout() throws {
        let executor = site.executor(timeout: 100)
        let told = Told()
        let begin = ContinuousClock.now
        for _ in 0..<4 {
            _ = executor.submit { (connection, _) throws(StorageError) in
                try connection.execute("BEGIN")
                try Self.compute(connection)
                return { told.add("done") }
            } failed: {
                told.add($0)
            }
        }
        #expect(eventually { told.all.count == 4 })
        #expect(told.all == ["timeout", "timeout", "timeout", "timeout"])
        #expect(ContinuousClock.now - begin < Patience.prompt)
        _ = executor.submit { (connection, _) throws(StorageError) in
            try connection.execute("BEGIN")
            connection.rollBack()
            return { told.add("next") }
        } failed: {
            told.add($0)
        }
        #expect(eventually { told.all.last == "next" })
        #expect(executor.close())
    }

    @Test("the timeout is told even while nothing can be interrupted")
    func timeoutAlone() throws {
        let executor = site.executor(timeout: 50)
        let gate = DispatchSemaphore(value: 0)
        let told = Told()
        #expect(hold(executor, gate, "late", told) != nil)
        #expect(eventually { told.all == ["timeout"] })
        gate.signal()
        #expect(executor.close())
        #expect(told.all == ["timeout"])
    }

    @Test("an interruption between two statements is not lost")
    func betweenStatements() throws {
        let executor = site.executor(timeout: 50)
        let told = Told()
        let error = Told()
        let begin = ContinuousClock.now
        _ = executor.submit { (connection, interruption) throws(StorageError) in
            // One that comes within a statement ends this one alone.
            while !interruption.isRaised { _ = try? connection.integer("SELECT 1") }
            // Whoever has not looked at the flag finds out with its next long statement.
            do throws(StorageError) {
                try Self.compute(connection)
            } catch let caught {
                error.add(.database(QueryError(caught)))
                throw caught
            }
            return { told.add("done") }
        } failed: {
            told.add($0)
        }
        #expect(eventually { !error.all.isEmpty && !told.all.isEmpty })
        #expect(error.all == ["interrupted"] && told.all == ["timeout"])
        #expect(ContinuousClock.now - begin < Patience.prompt)
        #expect(executor.close())
    }

    @Test("a report that nobody wants any more loses its turn, or ends, and tells nothing")
    func cancel() throws {
        let executor = site.executor()
        let gate = DispatchSemaphore(value: 0)
        let (told, began, ended) = (Told(), Told(), Told())
        let jobs = (0..<4).map { _ in
            executor.submit { (connection, _) throws(StorageError) in
                began.add("")
                defer { ended.add("") }
                try Self.compute(connection)
                return { told.add("done") }
            } failed: {
                told.add($0)
            }
        }
        #expect(eventually { began.all.count == 4 })
        let waiting = try (0..<64).map { try #require(hold(executor, gate, "\($0)", told)) }
        #expect(hold(executor, gate, "", told) == nil)
        for job in waiting { executor.cancel(job) }
        #expect(hold(executor, gate, "last", told) != nil)
        for job in jobs { executor.cancel(try #require(job)) }
        #expect(eventually { ended.all.count == 4 })
        gate.signal()
        #expect(eventually { told.all == ["last"] })
        #expect(executor.close())
        #expect(told.all == ["last"])
    }

    /// Connections that were opened, held weakly.
    private final class Opened: Sendable {
        private struct One {
            weak var connection: Connection?
        }
        private let list = Mutex<[One]>([])
        var count: Int { list.withLock { $0.count } }
        var left: Int { list.withLock { $0.count { $0.connection != nil } } }
        func add(_ connection: Connection) {
            list.withLock { $0.append(One(connection: connection)) }
        }
    }

    private func executor(_ opened: Opened) -> ReportExecutor {
        let store = site.store
        return ReportExecutor(timeout: 60_000) { () throws(StorageError) in
            let connection = try store.reader()
            opened.add(connection)
            return connection
        }
    }

    @Test("connections are used again, and closed with the executor")
    func connections() throws {
        let opened = Opened()
        let executor = executor(opened)
        let told = Told()
        for place in 0..<9 {
            _ = executor.submit { _, _ in
                { told.add("done") }
            } failed: {
                told.add($0)
            }
            #expect(eventually { told.all.count == place + 1 })
            #expect(eventually { executor.load.running == 0 })
        }
        #expect(opened.count == 1 && opened.left == 1)
        #expect(executor.close())
        #expect(opened.left == 0)
    }

    @Test("closing does not wait for ever, and what outlasts it takes its connection along")
    func closeWithoutPatience() throws {
        let opened = Opened()
        let executor = executor(opened)
        let gate = DispatchSemaphore(value: 0)
        let (told, began) = (Told(), Told())
        #expect(hold(executor, gate, "late", told, began: began) != nil)
        #expect(eventually { began.all.count == 1 })
        #expect(!executor.close(patience: 10))
        #expect(opened.left == 1)
        gate.signal()
        #expect(eventually { opened.left == 0 })
        #expect(told.all == ["closing"])
    }

    @Test("closing ends what computes and what waits, refuses what comes, and frees the database")
    func close() throws {
        let opened = Opened()
        let executor = executor(opened)
        let gate = DispatchSemaphore(value: 0)
        let (told, began) = (Told(), Told())
        for _ in 0..<4 {
            _ = executor.submit { (connection, _) throws(StorageError) in
                // So that the log cannot be emptied until this has ended.
                try connection.execute("BEGIN")
                _ = try connection.integer("SELECT count(*) FROM app")
                began.add("")
                try Self.compute(connection)
                return { told.add("done") }
            } failed: {
                told.add($0)
            }
        }
        for _ in 0..<3 { #expect(hold(executor, gate, "waiting", told) != nil) }
        #expect(eventually { began.all.count == 4 })
        let begin = ContinuousClock.now
        #expect(executor.close())
        #expect(ContinuousClock.now - begin < Patience.prompt)
        #expect(opened.count == 4 && opened.left == 0)
        #expect(told.all == .init(repeating: "closing", count: 7))
        #expect(hold(executor, gate, "late", told) == nil)
        #expect(executor.takeStreamSlot() == nil)
        let connection = try Connection(path: site.store.directory.database, mode: .write)
        #expect(try connection.checkpoint(.truncate))
    }

    @Test("a connection that cannot be opened fails that report and not the next")
    func noConnection() throws {
        let tries = Atomic(0)
        let store = site.store
        let executor = ReportExecutor(timeout: 1000) { () throws(StorageError) in
            if tries.add(1, ordering: .relaxed).newValue == 1 { throw .closed }
            return try store.reader()
        }
        let told = Told()
        for place in 0..<2 {
            _ = executor.submit { _, _ in
                { told.add("done") }
            } failed: {
                told.add($0)
            }
            #expect(eventually { told.all.count == place + 1 })
        }
        #expect(told.all == ["database", "done"])
        #expect(executor.close())
    }

    @Test("a stream that computes, or waits for its turn, leaves room for another, up to eight")
    func computingStreams() throws {
        let executor = site.executor()
        let gate = DispatchSemaphore(value: 0)
        let told = Told()
        var places = (0..<4).map { _ in executor.takeStreamSlot() }
        for place in 0..<4 {
            #expect(executor.load.readers == 4 && executor.takeStreamSlot() == nil)
            #expect(hold(executor, gate, "\(place)", told, continuesStream: true) != nil)
            places.append(executor.takeStreamSlot())
        }
        #expect(places.allSatisfy { $0 != nil })
        #expect(hold(executor, gate, "4", told, continuesStream: true) != nil)
        #expect(executor.load == (4, 1, 8, 3))
        #expect(executor.takeStreamSlot() == nil)
        for _ in 0..<5 { gate.signal() }
        #expect(eventually { executor.load == (0, 0, 8, 8) })
        places.removeLast(4)
        #expect(executor.takeStreamSlot() == nil)
        places.removeLast()
        #expect(executor.takeStreamSlot() != nil)
        #expect(executor.close())
    }

    @Test("four streams may wait for their readers; a place is free again when it is let go")
    func streamPlaces() throws {
        let executor = site.executor()
        var places = (0..<4).map { _ in executor.takeStreamSlot() }
        #expect(places.allSatisfy { $0 != nil })
        #expect(executor.takeStreamSlot() == nil)
        places[1] = nil
        #expect(executor.takeStreamSlot() != nil)
        places[1] = executor.takeStreamSlot()
        #expect(places[1] != nil && executor.takeStreamSlot() == nil)
        places = []
        #expect(executor.takeStreamSlot() != nil)
    }

    @Test("streams of one token that begin together take nothing of what others have")
    func streamsBegunTogether() throws {
        let executor = site.executor()
        let gate = DispatchSemaphore(value: 0)
        let told = Told()
        for name in 0..<4 {
            let job = hold(executor, gate, "\(name)", told, of: 1, continuesStream: true)
            #expect(job != nil)
        }
        var places = (0..<4).map { _ in executor.takeStreamSlot(for: 1) }
        #expect(places.allSatisfy { $0 != nil } && executor.takeStreamSlot(for: 1) == nil)
        for _ in 0..<4 { gate.signal() }
        #expect(eventually { executor.load == (0, 0, 4, 4) })
        #expect(executor.takeStreamSlot(for: 1) == nil)
        places += (0..<2).map { _ in executor.takeStreamSlot(for: 2) }
        #expect(places.allSatisfy { $0 != nil })
        #expect(executor.takeStreamSlot(for: 2) == nil && executor.takeStreamSlot(for: 3) == nil)
        places.removeFirst(3)
        #expect(executor.takeStreamSlot(for: 3) != nil)
        #expect(executor.close())
    }
}
