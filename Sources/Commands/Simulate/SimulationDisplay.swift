import JSON
import Service
import Simulation

/// Shows a simulation while it runs: how far it is, how fast, and what has to be tried again.
struct SimulationDisplay {
    private let errors: any TextOutput
    private let bar: ProgressBar
    private let notice: WaitNotice
    private let patience: Int64

    /// - Parameter patience: milliseconds for which a batch is tried
    init(_ invocation: Invocation, patience: Int64) {
        errors = invocation.errors
        bar = ProgressBar(invocation.errors, unit: "")
        notice = WaitNotice(invocation.errors, clock: { Timestamp.milliseconds })
        self.patience = patience
    }

    /// Runs it to its end.
    func show(_ run: SimulationRun) throws -> SimulationRun.Outcome {
        var run = run
        defer { bar.finish() }
        run.waiting = { [bar, notice, patience] reason in
            bar.finish()
            notice.tell(reason, patience: patience)
        }
        let start = run.pace.elapsed()
        let elapsed = run.pace.elapsed
        do throws(SimulationFailure) {
            return try run.run { [bar] progress in
                bar.show(progress.share, at: elapsed()) {
                    Self.detail(progress, seconds: Double(elapsed() - start) / 1_000)
                }
            }
        } catch {
            throw Failures.describe(error)
        }
    }

    /// As `18422 events/s, 410355 events, 12033 answers, 12 retries`; the rate is that of the whole run.
    private static func detail(_ progress: Progress, seconds: Double) -> String {
        let rate = Int(Double(progress.events) / max(seconds, 0.001))
        return "\(rate) events/s, \(progress.events) events, \(progress.answers) answers, "
            + "\(progress.retries) retries"
    }
}
