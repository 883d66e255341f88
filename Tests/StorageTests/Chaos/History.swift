import Events
import StoreTestSupport
import Synchronization

@testable import Storage

/// What a batch is known by.
struct BatchName: Hashable, Comparable, CustomStringConvertible {
    let device: Int
    let id: String

    var description: String { "\(id) of device \(device)" }

    static func < (left: BatchName, right: BatchName) -> Bool {
        (left.device, left.id) < (right.device, right.id)
    }
}

/// What was asked of a store and what it answered, in the order of the answers.
final class History: Sendable {
    enum Answer {
        case batch(BatchName, WriteOutcome)
        /// A token was made: its name.
        case token(String)
        /// So many refusals were counted.
        case refusals(Int)
    }

    private struct State {
        var sent: [BatchName: AcceptedBatch] = [:]
        var posts: [BatchName: Int] = [:]
        var answers: [Answer] = []
        var refusalsTried = 0
        var failures: [String] = []
    }

    private let state = Mutex(State())

    /// A batch is about to be posted, for the first time or again.
    func sending(_ name: BatchName, _ batch: AcceptedBatch) {
        state.withLock { state in
            if state.sent[name] == nil { state.sent[name] = batch }
            state.posts[name, default: 0] += 1
        }
    }

    func refusing(_ count: Int) { state.withLock { $0.refusalsTried += count } }

    /// An answer came. Marks the place on the tape.
    func answered(_ answer: Answer, on disk: FaultDisk) {
        state.withLock { state in
            state.answers.append(answer)
            disk.mark(state.answers.count)
        }
    }

    /// The writer told of a failure.
    func failed(_ failure: String) { state.withLock { $0.failures.append(failure) } }

    /// Failures that the writer told, each text once.
    var failures: Set<String> { state.withLock { Set($0.failures) } }
    /// Batches by name, as they were sent first.
    var sent: [BatchName: AcceptedBatch] { state.withLock { $0.sent } }
    /// How often each was posted.
    var posts: [BatchName: Int] { state.withLock { $0.posts } }
    var answers: [Answer] { state.withLock { $0.answers } }
    var refusalsTried: Int { state.withLock { $0.refusalsTried } }

    /// What in the answers themselves is wrong: each batch is new once, and every later answer has the
    /// first one's counts.
    var contradictions: [String] {
        let sent = sent
        var isStored: Set<BatchName> = []
        var wrong: [String] = []
        for case .batch(let name, let outcome) in answers {
            switch outcome {
            case .stored, .storedInPart:
                if !isStored.insert(name).inserted { wrong.append("\(name) was new twice") }
            case .duplicate(let accepted, let rejected):
                // It may have been stored by a group whose sync failed.
                isStored.insert(name)
                if accepted != sent[name]?.events.count || rejected != sent[name]?.rejected {
                    wrong.append("\(name) came again with \(accepted) and \(rejected)")
                }
            case .duplicateInPart, .failed: break
            }
        }
        return wrong
    }
}
