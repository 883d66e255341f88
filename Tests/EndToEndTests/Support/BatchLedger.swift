import Foundation
import Synchronization

/// What was posted to a server and what it answered.
final class BatchLedger: Sendable {
    private struct State {
        var tried: [String] = []
        /// Batches that were answered 200.
        var answered: Set<String> = []
        /// How often a batch was answered as new.
        var fresh: [String: Int] = [:]
        var repeats = 0
        var wrong: [String] = []
    }

    private let state = Mutex(State())
    /// Events of each batch.
    let eventsEach: Int

    init(eventsEach: Int) { self.eventsEach = eventsEach }

    /// A batch is about to be posted.
    func posting(_ id: String) { state.withLock { $0.tried.append(id) } }

    /// One that was posted before, whether it was answered or not; nil without any.
    func earlier() -> String? { state.withLock { $0.tried.randomElement() } }

    /// Takes an answer into account: its counts, and whether it may be the first.
    func answered(_ id: String, _ status: Int, _ body: String) {
        state.withLock { state in
            // Only what the server is not up to.
            guard status == 200 else {
                if status != 503 { state.wrong.append("\(id): \(status) \(body)") }
                return
            }
            state.answered.insert(id)
            switch body {
            case answer(id, isRepeat: false): state.fresh[id, default: 0] += 1
            case answer(id, isRepeat: true): state.repeats += 1
            default: state.wrong.append("\(id): \(body)")
            }
        }
    }

    private func answer(_ id: String, isRepeat: Bool) -> String {
        #"{"batch_id":"\#(id)","duplicate":\#(isRepeat),"accepted":\#(eventsEach),"rejected":0}"#
    }

    /// How many batches were answered 200.
    var answeredCount: Int { state.withLock { $0.answered.count } }
    /// How many posts were answered as repeats.
    var repeats: Int { state.withLock { $0.repeats } }
    /// How many batches were answered as new.
    var fresh: Int { state.withLock { $0.fresh.count } }

    /// What a server has wrong.
    struct Findings {
        /// Answered 200, and not there or not whole.
        var lost: [String] = []
        /// There twice, or answered as new twice.
        var doubled: [String] = []
        var wrong: [String] = []
    }

    /// Compares with every stored event, `batch_id/index`.
    func compare(_ events: [String]) -> Findings {
        let state = state.withLock { $0 }
        var findings = Findings(wrong: state.wrong)
        var stored: [Substring: Set<Substring>] = [:]
        for event in events {
            let parts = event.split(separator: "/")
            if !stored[parts[0], default: []].insert(parts[1]).inserted {
                findings.doubled.append(event)
            }
        }
        for id in state.answered where stored[id[...]]?.count != eventsEach {
            findings.lost.append(id)
        }
        let tried = Set(state.tried)
        for (id, indexes) in stored {
            if !tried.contains(String(id)) { findings.wrong.append("nobody sent \(id)") }
            if indexes.count != eventsEach { findings.lost.append("half of \(id)") }
        }
        findings.doubled += state.fresh.filter { $0.value > 1 }.keys
        return findings
    }
}
