import Database
import Dispatch
import Foundation
import Storage
import Synchronization
import TestSupport
import Testing
import Upkeep

@testable import Service

@Suite("the gate before reports")
struct WALGateTests {
    private final class Log: Sendable {
        private let state = Mutex((isLong: false, tries: 0))
        var isLong: Bool {
            get { state.withLock { $0.isLong } }
            set { state.withLock { $0.isLong = newValue } }
        }
        var tries: Int { state.withLock { $0.tries } }

        /// - Parameter patience: seconds
        func gate(patience: UInt64 = 300) -> WALGate {
            WALGate(
                patience: patience * 1_000_000_000, isLong: { self.isLong },
                shorten: { self.state.withLock { $0.tries += 1 } })
        }
    }

    @Test("nobody waits while the log is short, nor for what is not wanted any more")
    func open() {
        let log = Log()
        let gate = log.gate()
        gate.enter { true }
        log.isLong = true
        gate.enter { false }
        #expect(log.tries == 0)
    }

    @Test("whoever comes to a long log waits until those that read have ended and it was moved")
    func waits() {
        let log = Log()
        let gate = log.gate()
        let second = Second(gate, log)
        #expect(log.tries == 0 && !second.isIn(within: .seconds(0)))
        gate.leave()
        #expect(eventually { log.tries == 1 })
        log.isLong = false
        gate.lookAgain()
        #expect(second.isIn(within: .seconds(90)) && second.looks.load(ordering: .relaxed) == 3)
    }

    @Test("whoever is not wanted any more does not wait on")
    func unwanted() {
        let log = Log()
        let gate = log.gate()
        let second = Second(gate, log)
        second.isWanted.store(false, ordering: .relaxed)
        gate.lookAgain()
        #expect(second.isIn(within: .seconds(90)) && log.isLong && log.tries == 0)
    }

    @Test("an executor lets nobody wait there who is not wanted", arguments: [true, false])
    func cancelled(_ closes: Bool) throws {
        let looks = Atomic(0)
        let gate = WALGate(
            patience: 300_000_000_000,
            isLong: {
                looks.add(1, ordering: .relaxed)
                return true
            })
        let executor = ReportExecutor(timeout: 300_000, gate: gate) { () throws(StorageError) in
            try Connection(path: ":memory:", mode: .memory)
        }
        let job = executor.submit({ _, _ in {} }, failed: { _ in })
        #expect(eventually { looks.load(ordering: .relaxed) > 0 })
        if !closes {
            executor.cancel(try #require(job))
            #expect(eventually { executor.load.running == 0 })
        }
        #expect(executor.close(patience: 90_000))
    }

    @Test("a report enters when the writer has moved the log")
    func writer() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "sojourn-gate-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var options = Store.Options(directory: DataDirectory(folder))
        options.limits.framesPerCheckpoint = 2
        let store = try Store.open(options)
        let gate = WALGate(of: store.writer, patience: 300_000_000_000)
        let reader = try store.reader()
        try reader.execute("BEGIN")
        _ = try reader.integer("SELECT count(*) FROM app")
        var count = 0
        while !store.writer.isWALLong {
            try #require(count < 100)
            _ = try store.registry.addApp("app\(count)")
            count += 1
            store.writer.shortenWAL()
            try store.writer.perform { _ in }
        }
        let looks = Atomic(0)
        let isIn = DispatchSemaphore(value: 0)
        DispatchQueue(label: "report").async {
            gate.enter {
                looks.add(1, ordering: .relaxed)
                return true
            }
            isIn.signal()
        }
        #expect(eventually { looks.load(ordering: .relaxed) == 1 })
        // Behind what the report has asked for.
        try store.writer.perform { _ in }
        #expect(store.writer.isWALLong)
        try reader.execute("COMMIT")
        store.writer.shortenWAL()
        #expect(isIn.wait(timeout: .now() + .seconds(90)) == .success)
        try store.close()
    }

    /// Comes while another reads and the log is long, and has looked once.
    private final class Second: Sendable {
        let looks = Atomic(0)
        let isWanted = Atomic(true)
        private let hasEntered = DispatchSemaphore(value: 0)

        init(_ gate: WALGate, _ log: Log) {
            gate.enter { true }
            log.isLong = true
            DispatchQueue(label: "second").async { [self] in
                gate.enter {
                    looks.add(1, ordering: .relaxed)
                    return isWanted.load(ordering: .relaxed)
                }
                hasEntered.signal()
            }
            #expect(eventually { looks.load(ordering: .relaxed) == 1 })
        }

        func isIn(within time: DispatchTimeInterval) -> Bool {
            hasEntered.wait(timeout: .now() + time) == .success
        }
    }

    @Test("a log that others hold up is waited for once, and for one second")
    func others() {
        let log = Log()
        log.isLong = true
        let gate = log.gate(patience: 1)
        let first = ContinuousClock().measure { gate.enter { true } }
        #expect(first >= .seconds(1) && log.tries == 1)
        // The other is still in, and for a while nobody asks.
        var looks = 0
        gate.enter {
            looks += 1
            return true
        }
        #expect(looks == 1 && log.tries == 1)
    }
}
