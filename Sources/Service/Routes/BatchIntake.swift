import Events
import Ingest
import Sockets
import Storage

/// From a verdict to the answer: what may be stored goes to the writer, and is answered when it is on
/// disk. Usable from any thread.
struct BatchIntake: Sendable {
    let writer: Writer
    /// Shared with the bodies that are being read (docs/operation.md, `max-buffered-bytes`).
    let budget: Budget
    let refusals: RefusalLedger
    let clock: ArrivalClock

    func finish(
        _ verdict: Result<Verdict, Ingest.Refusal>, of request: AdmittedBatch, _ exchange: Exchange
    ) {
        let isDryRun = request.isDryRun
        switch verdict {
        case .failure(let refusal):
            let problem = Problem(ingest: refusal)
            noteRefusal(problem.code, of: request, at: exchange.arrival)
            exchange.respond(.problem(problem))
        case .success(.empty):
            var answer = BatchAnswer(batchID: nil, accepted: 0, rejected: 0)
            answer.isDryRun = isDryRun
            exchange.respond(answer.response)
        case .success(.accepted(let batch)):
            var answer = BatchAnswer(
                batchID: batch.batchID, accepted: batch.events.count, rejected: batch.rejected,
                rejections: batch.rejections)
            if isDryRun {
                answer.isDryRun = true
                return exchange.respond(answer.response)
            }
            store(batch, answer, exchange)
        }
    }

    /// Counts a batch whose head was admitted and which was refused after that.
    /// - Parameter arrival: milliseconds since 1970
    func noteRefusal(_ code: ProblemCode, of request: AdmittedBatch, at arrival: Int64) {
        guard !request.isDryRun else { return }
        refusals.note(code, app: request.admission.app.id, at: arrival)
    }

    private func store(_ batch: AcceptedBatch, _ answer: BatchAnswer, _ exchange: Exchange) {
        let size = batch.memory
        guard budget.reserve(size) else {
            return exchange.respond(.problem(Problem(.overloaded)))
        }
        let budget = budget
        let clock = clock
        let refused = writer.submit(batch) { outcome in
            budget.release(size)
            switch outcome {
            case .stored:
                clock.note(exchange.arrival)
                exchange.respond(answer.response)
            case .duplicate(let accepted, let rejected):
                let first = BatchAnswer(
                    batchID: answer.batchID, isDuplicate: true, accepted: accepted,
                    rejected: rejected)
                exchange.respond(first.response)
            case .failed(let failure):
                exchange.respond(.problem(Problem(write: failure)))
            }
        }
        guard let refused else { return }
        budget.release(size)
        switch refused {
        case .overloaded: exchange.respond(.problem(Problem(.overloaded)))
        case .closing: exchange.respond(.problem(Problem(.shuttingDown)))
        }
    }
}
