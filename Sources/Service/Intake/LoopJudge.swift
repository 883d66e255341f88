import Ingest
import Sockets

/// Judges bodies on an event loop's thread, where that is short work; hands the others to the judges beside it.
final class LoopJudge {
    /// A body that waits, with the room that it takes meanwhile.
    private struct Waiting {
        let body: WholeBody
        let exchange: Exchange
        let room: FairBudget<Int64>.Reservation
    }

    let worker: IngestWorker
    private let intake: BatchIntake
    private let judges: BodyJudges
    private let meter: Meter
    private var turn = LoopTurn<Waiting>()
    /// Nanoseconds, never set back.
    private let now = Clock.system.monotonic

    /// - Parameters:
    ///   - limits: the settings'
    ///   - meter: of the loop
    init(
        _ intake: BatchIntake, _ judges: BodyJudges, limits: IngestLimits, pepper: [UInt8],
        meter: Meter
    ) {
        worker = IngestWorker(
            limits: limits.atMost(
                inflatedBytes: BodyJudges.inlineBytes, elements: BodyJudges.inlineElements),
            pepper: pepper)
        self.intake = intake
        self.judges = judges
        self.meter = meter
    }

    /// A body has come whole: judges it, or puts it off.
    /// - Parameter directory: the keys in force
    func take(
        _ body: Span<UInt8>, _ admitted: AdmittedBatch, by directory: AccessList,
        _ exchange: Exchange
    ) {
        if worker.takesLongToOpen(body, admitted.admission) {
            if let waiting = waiting(body, admitted, exchange) { handOver(waiting) }
            return
        }
        guard turn.mayJudge(at: now()) else {
            if let waiting = waiting(body, admitted, exchange) {
                turn.append(waiting, of: waiting.body.app)
            }
            return
        }
        var batch = admitted
        let judgement = Judgement(
            body, &batch, by: directory, worker, intake.rateLimiter, arrival: exchange.arrival)
        guard !judgement.isTooMuchHere else {
            if let waiting = waiting(body, batch, exchange) { handOver(waiting) }
            return
        }
        intake.finish(judgement, of: batch, exchange, meter)
    }

    /// Goes on with the bodies that were put off.
    /// - Parameter directory: asked for the keys in force where there are any
    /// - Returns: whether there are more
    func turnEnded(_ directory: () -> AccessList) -> Bool {
        guard turn.end() else { return false }
        let directory = directory()
        while let waiting = turn.next(at: now()) { judge(waiting, by: directory) }
        return turn.end()
    }

    private func judge(_ waiting: Waiting, by directory: AccessList) {
        let judgement = waiting.body.judged(by: worker, directory, intake.rateLimiter)
        guard !judgement.isTooMuchHere else { return handOver(waiting) }
        waiting.room.release()
        intake.finish(judgement, of: waiting.body.batch, waiting.exchange, meter)
    }

    /// Nil where there is no room: then it is refused.
    private func waiting(
        _ body: Span<UInt8>, _ batch: AdmittedBatch, _ exchange: Exchange
    ) -> Waiting? {
        guard let room = intake.room.reservation(body.count, of: batch.admission.app.id) else {
            intake.refuse(Problem(.overloaded), of: batch, exchange, meter)
            return nil
        }
        return Waiting(
            body: WholeBody(body, batch, arrival: exchange.arrival), exchange: exchange, room: room)
    }

    /// Hands it to a judge beside the loop, which accepts what the settings allow.
    private func handOver(_ waiting: Waiting) {
        let (intake, exchange) = (intake, waiting.exchange)
        let (body, room, meter) = (waiting.body, waiting.room, intake.meters.judges)
        let taken = judges.judge(body) { judgement in
            room.release()
            guard let judgement else {
                return intake.refuse(Problem(.overloaded), of: body.batch, exchange, meter)
            }
            intake.finish(judgement, of: body.batch, exchange, meter)
        }
        guard !taken else { return }
        room.release()
        intake.refuse(Problem(.overloaded), of: body.batch, exchange, self.meter)
    }
}
