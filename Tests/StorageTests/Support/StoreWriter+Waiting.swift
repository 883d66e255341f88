import Dispatch
import Events
import Glibc
import Synchronization
import TestSupport

@testable import Database
@testable import Storage

extension StoreWriter {
    /// Hands the batches over while the writer is held up, so that they share one transaction, and
    /// waits for what became of each.
    func storeTogether(_ batches: [AcceptedBatch]) -> [WriteOutcome?] {
        let answers = Answers(batches.count)
        let hold = hold()
        for (place, batch) in batches.enumerated() {
            answers.group.enter()
            let refusal = submit(batch) { answers.set(place, $0) }
            if refusal != nil { answers.group.leave() }
        }
        hold.release()
        return answers.wait()
    }

    /// One batch, one transaction.
    func storeAlone(_ batch: AcceptedBatch) -> WriteOutcome? { storeTogether([batch])[0] }

    /// Whether it comes to write again, by itself.
    func becomesReady() -> Bool {
        eventually { if case .ready = readiness { true } else { false } }
    }

    /// Keeps the writer busy until it is released.
    func hold() -> Hold {
        let hold = Hold()
        DispatchQueue.global().async {
            do { try self.perform { _ in hold.stay() } } catch { hold.giveUp() }
        }
        hold.waitUntilHeld()
        return hold
    }
}

/// Two semaphores: the writer is in here; it may go on.
final class Hold: Sendable {
    private let held = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    func stay() {
        held.signal()
        released.wait()
    }
    /// The writer has no connection on which to be held up.
    func giveUp() { held.signal() }
    func waitUntilHeld() { held.wait() }
    func release() { released.signal() }
}

/// What became of each of some batches.
final class Answers: Sendable {
    let group = DispatchGroup()
    private let outcomes: Mutex<[WriteOutcome?]>

    init(_ count: Int) { outcomes = Mutex(Array(repeating: nil, count: count)) }

    func set(_ place: Int, _ outcome: WriteOutcome) {
        outcomes.withLock { $0[place] = outcome }
        group.leave()
    }

    func wait() -> [WriteOutcome?] {
        group.wait()
        return outcomes.withLock { $0 }
    }
}

extension Connection {
    /// Every row of a query as text, columns joined by `|`.
    func rows(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
        }
        return rows
    }
}
