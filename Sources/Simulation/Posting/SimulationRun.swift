import Client
import Curl
import Dispatch
import Synchronization
import Truth

/// Lets a population live, and posts what its clients post to a server.
package struct SimulationRun: Sendable {
    /// Threads at most, beside those of the program.
    private static let maxWorkers = 6

    let population: Population
    let address: ServerAddress
    let sealer: Sealer
    /// Connections at once, which is how many devices live at once.
    package var connections = 64
    /// Threads that they are shared among.
    package var workers = 2
    /// Events a second; nil for as many as the server takes.
    package var rate: Double?
    /// What reports are to be foretold for; nil where nobody asks.
    package var truth: TruthScope?
    /// What the server does with times.
    package var rules = ServerRules()
    /// How long an attempt waits for the next, where the real server does not take a batch.
    package var backoff = Backoff()
    /// Clock and chance of what is real.
    package var pace = Pace.real
    /// Milliseconds for which a batch is tried before the run gives up.
    package var patience: Int64 = 60_000
    /// Told why a batch has to be tried again, as a sentence; from any thread, before the wait.
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

    /// How a run has ended.
    package struct Outcome: Sendable {
        package let progress: Progress
        /// What reports must say; nil where nobody asked.
        package let truth: Truth?
    }

    /// Returns when all lives are over and the last batch is answered.
    ///
    /// - Parameter progress: Called whenever something has happened, one call at a time, from any thread.
    /// - Throws: `SimulationFailure` when a batch is refused or not answered in time.
    package func run(
        progress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) throws(SimulationFailure) -> Outcome {
        let board = Board(population, progress: progress)
        let rate = rate.map { RateLimit(rate: $0) }
        let truths = Mutex<[Truth]>([])
        let group = DispatchGroup()
        let count = min(max(workers, 1), connections, Self.maxWorkers)
        for index in 0..<count {
            // A queue for each: a worker waits for the network most of the time, which a shared pool
            // as large as the machine has cores would not allow for.
            DispatchQueue(label: "simulation.worker.\(index)").async(group: group) {
                do throws(SimulationFailure) {
                    let share = connections / count + (index < connections % count ? 1 : 0)
                    let worker = try Worker(self, board, rate, capacity: share)
                    try worker.work()
                    if let truth = worker.truth { truths.withLock { $0.append(truth) } }
                } catch {
                    board.fail(error)
                }
            }
        }
        group.wait()
        let (end, shared) = try board.result()
        return Outcome(progress: end, truth: merged(truths.withLock { $0 }, shared))
    }

    private func merged(_ truths: [Truth], _ shared: ToldDevice) -> Truth? {
        guard var truth = truths.first else { return nil }
        for other in truths.dropFirst() { truth.merge(other) }
        if !shared.batches.isEmpty { truth.add(shared) }
        return truth
    }
}
