import Client
import Dispatch
import Synchronization

/// Posts a population's batches to a server: several lanes side by side, each with its own connection
/// and its own devices, so that a device's batches follow each other.
package struct SimulationRun: Sendable {
    /// How far it is.
    package struct Progress: Sendable, Equatable {
        /// Batches that were answered 200.
        package var posted = 0
        /// Batches there are.
        package var total = 0
        /// Events in the posted batches.
        package var events = 0
        /// Posted batches that the server had already.
        package var repeats = 0
        /// Events that the server rejected.
        package var rejected: Int64 = 0
        /// Attempts that had to be repeated.
        package var retries = 0
    }

    private let population: Population
    private let address: ServerAddress
    private let sealer: Sealer
    /// Lanes.
    package var threads = 4
    /// In which order each lane posts.
    package var order = Population.Order.delivery
    /// How long an attempt waits for the next.
    package var backoff = Backoff()
    /// Clock and waiting.
    package var pace = Pace.real
    /// Milliseconds for which a batch is tried before the run gives up.
    package var patience: Int64 = 60_000
    /// Told why a batch has to be tried again, as a sentence; from any lane's thread, before the wait.
    package var waiting: @Sendable (String) -> Void = { _ in }

    /// A run of `population` against the server at `address`.
    package init(_ population: Population, to address: ServerAddress, sealedBy sealer: Sealer) {
        self.population = population
        self.address = address
        self.sealer = sealer
        // A server that starts is there within a second: a wait that grows to minutes is for phones.
        backoff.unit = 100
        backoff.cap = 5_000
    }

    /// Posts everything and returns when the last batch is answered.
    ///
    /// - Parameter progress: Called after each batch, one call at a time, from any lane's thread.
    /// - Throws: `SimulationFailure` when a batch is refused or not answered in time; what the other
    ///   lanes have under way is finished first.
    package func run(
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) throws(SimulationFailure) -> Progress {
        let lanes = max(threads, 1)
        let board = Board(total: population.count(), progress: progress)
        let group = DispatchGroup()
        for lane in 0..<lanes {
            // A queue for each lane: a lane waits for answers most of the time, which a shared pool
            // as large as the machine has cores would not allow for.
            DispatchQueue(label: "simulation.lane.\(lane)").async(group: group) {
                do throws(SimulationFailure) {
                    try post(lane: lane, of: lanes, board)
                } catch {
                    board.fail(error)
                }
            }
        }
        group.wait()
        return try board.result()
    }

    private func post(lane: Int, of lanes: Int, _ board: Board) throws(SimulationFailure) {
        let client: HTTPClient
        do throws(HTTPFailure) {
            client = try HTTPClient(address)
        } catch {
            throw SimulationFailure(reason: error.description, kind: .unavailable)
        }
        let delivery = Delivery(BatchPoster(client, sealer), backoff: backoff, pace: pace)
        for batch in population.batches(lane: lane, of: lanes, order: order) {
            guard !board.hasFailed else { return }
            let outcome = delivery.deliver(
                batch.batchID, until: delivery.deadline(in: patience),
                waiting: { waiting("\(address.origin) \($0.complaint)") },
                body: batch.stamped)
            guard case .stored(let receipt) = outcome.answer else {
                var failure = SimulationFailure(
                    reason: "\(address.origin) \(outcome.answer.complaint)", kind: .refused)
                // Time was up, while another attempt might have gone well.
                if case .retry = outcome.step { failure.kind = .unavailable }
                throw failure
            }
            board.count(batch, receipt, attempts: outcome.attempts)
        }
    }
}

extension SimulationRun {
    /// What the lanes have in common.
    private final class Board: Sendable {
        private struct State {
            var progress = Progress()
            var failure: SimulationFailure?
        }

        private let state: Mutex<State>
        private let progress: @Sendable (Progress) -> Void

        init(total: Int, progress: @escaping @Sendable (Progress) -> Void) {
            state = Mutex(State(progress: Progress(total: total)))
            self.progress = progress
        }

        var hasFailed: Bool { state.withLock { $0.failure != nil } }

        func count(_ batch: SimulatedBatch, _ receipt: Answer.Receipt, attempts: Int) {
            // Told under the lock, so that numbers never go back.
            state.withLock {
                $0.progress.posted += 1
                $0.progress.events += batch.eventCount
                $0.progress.repeats += receipt.isDuplicate ? 1 : 0
                $0.progress.rejected &+= receipt.rejected
                $0.progress.retries += attempts - 1
                progress($0.progress)
            }
        }

        func fail(_ failure: SimulationFailure) {
            state.withLock { $0.failure = $0.failure ?? failure }
        }

        func result() throws(SimulationFailure) -> Progress {
            let state = state.withLock { $0 }
            if let failure = state.failure { throw failure }
            return state.progress
        }
    }
}

/// Why there can be no such simulation, or why one could not go on.
package struct SimulationFailure: Error, Equatable, CustomStringConvertible {
    /// Whose it is.
    package enum Kind: Sendable, Equatable {
        /// There can be no such simulation.
        case usage
        /// The server will never take a batch of it.
        case refused
        /// The server could not be asked, or not now.
        case unavailable
    }

    /// What is wrong, as the end of a sentence.
    package let reason: String
    /// What a command ends with depends on it.
    package var kind = Kind.usage

    /// One line to show.
    package var description: String { "cannot simulate: \(reason)" }
}
