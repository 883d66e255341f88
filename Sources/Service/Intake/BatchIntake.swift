import Events
import Ingest
import Sockets
import Storage

/// From a verdict to the answer: what may be stored goes to the writer, and is answered when it is on
/// disk. Usable from any thread.
final class BatchIntake: Sendable {
    let writer: StoreWriter
    let dryRuns: DryRuns
    let room: FairBudget<Int64>
    let refusals: RefusalLedger
    let clock: ArrivalClock
    let meters: Meters
    let rateLimiter: RateLimiter?
    let judges: BodyJudges
    /// Nil where nothing limits the spool.
    let gauge: SpoolGauge?

    init(
        writer: StoreWriter, dryRuns: DryRuns, room: FairBudget<Int64>, refusals: RefusalLedger,
        clock: ArrivalClock, meters: Meters, rateLimiter: RateLimiter?, judges: BodyJudges,
        gauge: SpoolGauge?
    ) {
        self.writer = writer
        self.dryRuns = dryRuns
        self.room = room
        self.refusals = refusals
        self.clock = clock
        self.meters = meters
        self.rateLimiter = rateLimiter
        self.judges = judges
        self.gauge = gauge
    }

    /// - Parameters:
    ///   - request: after it was judged
    ///   - meter: of the thread that calls
    func finish(
        _ judgement: Judgement, of request: AdmittedBatch, _ exchange: Exchange, _ meter: Meter
    ) {
        let units = RateLimiter.units(
            inflatedBytes: judgement.inflatedBytes, elements: judgement.elements)
        rateLimiter?.chargeRest(of: request, units: units)
        switch judgement.verdict {
        case .failure(let problem):
            refuse(problem, of: request, exchange, meter)
        case .success(.empty):
            answer(
                BatchAnswer(
                    batchID: nil, isDryRun: request.isDryRun, accepted: 0, rejected: 0),
                request, exchange, meter)
        case .success(.logs(let logs)):
            LogsIntake(self, request, exchange).begin(
                logs, units: units, isLong: judgement.inflatedBytes > BodyJudges.shortBytes, meter)
        case .success(.accepted(let batch)):
            guard
                clock.allows(
                    arrival: exchange.arrival, sentAt: batch.sentAt,
                    refusesTimes: batch.rejectionCounts.contains {
                        $0.code == EventRule.timeRange.code
                    }, now: Timestamp.milliseconds)
            else {
                if !batch.isShared {
                    clock.noteRefused(exchange.arrival, batch.device, sentAt: batch.sentAt)
                }
                return refuse(Problem(.clockUnset), of: request, exchange, meter)
            }
            // A shared id is many devices, which its key's limit bounds.
            if let rateLimiter, !batch.isShared,
                let wait = rateLimiter.take(.device(batch.device), units: units)
            {
                return refuse(
                    Problem(.rateLimited, retryAfter: wait), of: request, exchange, meter)
            }
            let first = BatchAnswer(
                batchID: batch.batchID, isDryRun: request.isDryRun,
                accepted: batch.events.count, rejected: batch.rejected,
                rejections: batch.rejections)
            if request.isDryRun {
                dryRun(batch, first, request, exchange, meter)
            } else {
                store(batch, first, request, exchange, meter)
            }
        }
    }

    /// Answers a batch whose head was admitted and which is refused after that.
    func refuse(
        _ problem: Problem, of request: AdmittedBatch, _ exchange: Exchange, _ meter: Meter
    ) {
        noteRefusal(problem.code, of: request, at: exchange.arrival, meter)
        exchange.respond(request.form.response(to: problem))
    }

    /// Counts such a batch.
    /// - Parameter arrival: milliseconds since 1970
    func noteRefusal(
        _ code: ProblemCode, of request: AdmittedBatch, at arrival: Int64, _ meter: Meter
    ) {
        request.note?.note(code)
        meter.countBatch(.refused(code), profile: request.admission.format.profile)
        guard !request.isDryRun else { return }
        refusals.note(code, app: request.admission.app.id, at: arrival)
    }

    private func answer(
        _ answer: BatchAnswer, _ request: AdmittedBatch, _ exchange: Exchange, _ meter: Meter
    ) {
        let outcome: BatchOutcome =
            answer.isDryRun ? .dryRun : answer.isDuplicate ? .duplicate : .accepted
        meter.countBatch(outcome, profile: request.admission.format.profile)
        request.note?.note(
            RequestNote.Counts(
                accepted: answer.accepted, rejected: answer.rejected,
                isDuplicate: answer.isDuplicate))
        exchange.respond(answer.response)
    }

    private func dryRun(
        _ batch: AcceptedBatch, _ first: BatchAnswer, _ request: AdmittedBatch,
        _ exchange: Exchange, _ meter: Meter
    ) {
        guard let reservation = room.reservation(batch.memory, of: batch.app) else {
            return refuse(Problem(.overloaded), of: request, exchange, meter)
        }
        let isTaken = dryRuns.judge(batch) { [self] result in
            reservation.release()
            switch result {
            case .success(let verdict):
                answer(first.reduced(to: verdict), request, exchange, meters.judges)
            case .failure:
                refuse(Problem(.internalError), of: request, exchange, meters.judges)
            case nil: refuse(Problem(.overloaded), of: request, exchange, meters.judges)
            }
        }
        guard !isTaken else { return }
        reservation.release()
        refuse(Problem(.overloaded), of: request, exchange, meter)
    }

    private func store(
        _ batch: consuming AcceptedBatch, _ first: BatchAnswer, _ request: AdmittedBatch,
        _ exchange: Exchange, _ meter: Meter
    ) {
        if let gauge, gauge.isFull {
            return refuse(Problem(.storageFull), of: request, exchange, meter)
        }
        // What of it the answer needs besides, which may leave when it is gone.
        let rejected = batch.rejectionCounts
        // Ids that many devices share say nothing of one, and what has no events is cheap to invent.
        let (device, sentAt) = (
            batch.device, batch.isShared || first.accepted == 0 ? nil : batch.sentAt
        )
        let bytes = Int64(batch.bodyBytes)
        guard let reservation = room.reservation(batch.memory, of: batch.app) else {
            return refuse(Problem(.overloaded), of: request, exchange, meter)
        }
        let refused = writer.submit(batch) { [self] outcome in
            reservation.release()
            switch outcome {
            case .stored:
                gauge?.add(bytes)
                clock.note(exchange.arrival, device, sentAt: sentAt)
                meters.writer.countEvents(accepted: first.accepted, rejected: rejected)
                answer(first, request, exchange, meters.writer)
            case .storedInPart(let verdict):
                gauge?.add(bytes)
                clock.note(exchange.arrival, device, sentAt: sentAt)
                meters.writer.countEvents(
                    accepted: verdict.accepted, rejected: verdict.rejectionCounts)
                answer(first.reduced(to: verdict), request, exchange, meters.writer)
            case .duplicate(let accepted, let rejected):
                answer(
                    BatchAnswer(
                        batchID: first.batchID, isDuplicate: true, accepted: accepted,
                        rejected: rejected),
                    request, exchange, meters.writer)
            case .duplicateInPart(let names):
                // Only of batches whose records are known one by one, which do not come here.
                answer(
                    BatchAnswer(
                        batchID: first.batchID, isDuplicate: true, accepted: first.accepted,
                        rejected: first.rejected + names.count),
                    request, exchange, meters.writer)
            case .failed(let failure):
                refuse(Problem(write: failure), of: request, exchange, meters.writer)
            }
        }
        guard let refused else { return }
        reservation.release()
        let code: ProblemCode = refused == .closing ? .shuttingDown : .overloaded
        refuse(Problem(code), of: request, exchange, meter)
    }
}
