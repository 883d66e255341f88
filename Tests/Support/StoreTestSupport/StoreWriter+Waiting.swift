import Database
import Dispatch
import Events
import Glibc
import Storage
import Synchronization
import TestSupport

extension StoreWriter {
    /// Hands the batches over while the writer is held up, so that they share one transaction, and
    /// waits for what became of each.
    package func storeTogether(_ batches: [AcceptedBatch]) -> [WriteOutcome?] {
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
    package func storeAlone(_ batch: AcceptedBatch) -> WriteOutcome? { storeTogether([batch])[0] }

    /// Whether it comes to write again, by itself.
    package func becomesReady() -> Bool {
        eventually { if case .ready = readiness { true } else { false } }
    }

    /// Keeps the writer busy until it is released.
    package func hold() -> Hold {
        let hold = Hold()
        DispatchQueue.global().async {
            do { try self.perform { _ in hold.stay() } } catch { hold.giveUp() }
        }
        hold.waitUntilHeld()
        return hold
    }
}

/// Two semaphores: the writer is in here; it may go on.
package final class Hold: Sendable {
    private let held = DispatchSemaphore(value: 0)
    private let released = DispatchSemaphore(value: 0)

    /// One in which nobody is.
    package init() {}

    /// The writer is in here until it is released.
    package func stay() {
        held.signal()
        released.wait()
    }
    /// The writer has no connection on which to be held up.
    package func giveUp() { held.signal() }
    /// Waits until the writer is in here, or has given up.
    package func waitUntilHeld() { held.wait() }
    /// Lets it go on.
    package func release() { released.signal() }
}

/// What became of each of some batches.
package final class Answers: Sendable {
    /// Entered for each that is still to come.
    package let group = DispatchGroup()
    private let outcomes: Mutex<[WriteOutcome?]>

    /// Of so many, none of which is known.
    package init(_ count: Int) { outcomes = Mutex(Array(repeating: nil, count: count)) }

    /// Leaves the group.
    package func set(_ place: Int, _ outcome: WriteOutcome) {
        outcomes.withLock { $0[place] = outcome }
        group.leave()
    }

    /// Waits until each is known.
    package func wait() -> [WriteOutcome?] {
        group.wait()
        return outcomes.withLock { $0 }
    }
}

extension Connection {
    /// Every row of a query as text, columns joined by `|`.
    package func rows(_ sql: String) throws -> [String] {
        let statement = try prepare(sql)
        var rows: [String] = []
        while try statement.step() {
            rows.append(
                (0..<statement.columnCount).map { statement.text($0) }.joined(separator: "|"))
        }
        return rows
    }
}
