import Dispatch
import Events
import Ingest
import Sockets
import Storage

/// One request to the logs endpoint (`BatchRoute` → `IngestWorker` → `LogsWorker` → `LogJudge` → `BatchIntake` → here
/// ⇄ `StoreWriter`, `BodyJudges`), from what was judged of it to its answer: its batches go to the writer part by
/// part, and it is answered once, when the last is on disk. Each step is begun by the one before it; no two run
/// side by side.
final class LogsIntake: @unchecked Sendable {
    private let intake: BatchIntake
    private var request: AdmittedBatch
    private let exchange: Exchange
    private var rejections = LogRejections()
    private var accepted = 0
    private var rest: LogsRest?
    /// Its body is one that short ones need not wait for.
    private var isLong = false
    /// As long as there is a rest.
    private var parts: PartsHold?
    /// The room that the rest takes.
    private var restRoom: FairBudget<Int64>.Reservation?
    private var failure: Problem?
    /// A part of it was taken by the writer: it has had its place there.
    private var hasPlace = false
    private var refusedResources = 0
    /// When its last part was handed to the writer, and how long that took, in nanoseconds.
    private var handedOver: Int64 = 0
    private var took: Int64 = 0
    /// For how long it has let others go first, in nanoseconds.
    private var paused: Int64 = 0

    /// While a request has more ResourceLogs left, others get as much time as it takes.
    private static let minPausedCount = 256
    /// Nanoseconds of one pause, and of all: a slow disk need not make it slower.
    private static let maxPause: Int64 = 5_000_000
    private static let maxPaused: Int64 = 1_500_000_000

    init(_ intake: BatchIntake, _ request: AdmittedBatch, _ exchange: Exchange) {
        self.intake = intake
        self.request = request
        self.exchange = exchange
    }

    private var app: Int64 { request.admission.app.id }

    /// - Parameters:
    ///   - units: as how many batches it counts
    ///   - isLong: its body has more than `BodyJudges.shortBytes`
    ///   - meter: of the thread that calls
    func begin(_ logs: AcceptedLogs, units: Int, isLong: Bool, _ meter: Meter) {
        self.isLong = isLong
        let refusesTimes = logs.rejections.entries.contains { $0.code == EventRule.timeRange.code }
        if refusesTimes, intake.clock.isDoubtful(Timestamp.milliseconds) {
            return refuse(Problem(.clockUnset), meter)
        }
        // A shared id is many devices, which its token's limit bounds.
        if let limiter = intake.rateLimiter, let device = logs.device, !logs.isShared,
            let wait = limiter.take(.device(device), units: units)
        {
            return refuse(Problem(.rateLimited, retryAfter: wait), meter)
        }
        rejections = logs.rejections
        refusedResources = logs.refusedResources
        if let rest = logs.rest {
            guard let room = intake.room.reservation(rest.memory, of: app) else {
                return refuse(Problem(.overloaded), meter)
            }
            self.rest = rest
            if !request.isDryRun { parts = intake.writer.beginParts() }
            restRoom = room
        }
        take(logs.batches, meter)
    }

    private func take(_ batches: [LogBatch], _ meter: Meter) {
        guard !batches.isEmpty else { return proceed(meter) }
        if request.isDryRun { return dryRun(batches[...], meter) }
        if let gauge = intake.gauge, gauge.isFull { return refuse(Problem(.storageFull), meter) }
        let memory = batches.reduce(0) { $0 + $1.batch.memory }
        guard let room = intake.room.reservation(memory, of: app) else {
            return refuse(Problem(.overloaded), meter)
        }
        let counts = batches.map { Counts($0) }
        let isContinued = hasPlace
        hasPlace = true
        handedOver = Clock.system.monotonic()
        let refused = intake.writer.submit(
            batches.map(\.batch), isContinued: isContinued
        ) { [self] outcomes in
            room.release()
            took = Clock.system.monotonic() - handedOver
            for (count, outcome) in zip(counts, outcomes) { note(outcome, of: count) }
            if let failure { return refuse(failure, intake.meters.writer) }
            proceed(intake.meters.writer)
        }
        guard let refused else { return }
        room.release()
        refuse(Problem(refused == .closing ? .shuttingDown : .overloaded), meter)
    }

    /// What has to be known of a batch once it is on disk.
    private struct Counts {
        let accepted: Int
        let rejected: [RejectionCount]
        let bytes: Int64
        let device: DeviceHash
        let places: RecordPlaces

        init(_ batch: LogBatch) {
            accepted = batch.batch.events.count
            rejected = batch.batch.rejectionCounts
            bytes = Int64(batch.batch.bodyBytes)
            device = batch.batch.device
            places = batch.places
        }
    }

    private func note(_ outcome: WriteOutcome, of batch: Counts) {
        let meter = intake.meters.writer
        switch outcome {
        case .stored:
            noteStored(batch.accepted, batch.rejected, of: batch)
        case .storedInPart(let verdict):
            noteStored(verdict.accepted, verdict.rejectionCounts, of: batch)
            addNames(verdict.rejectionCounts, of: batch.places)
        case .duplicate: meter.countBatch(.duplicate, profile: .otlp)
        case .duplicateInPart(let names):
            meter.countBatch(.duplicate, profile: .otlp)
            addNames([names], of: batch.places)
        case .failed(let reason):
            failure = failure ?? Problem(write: reason)
        }
    }

    private func noteStored(_ accepted: Int, _ rejected: [RejectionCount], of batch: Counts) {
        intake.gauge?.add(batch.bytes)
        intake.clock.note(exchange.arrival, batch.device, sentAt: nil)
        intake.meters.writer.countBatch(.accepted, profile: .otlp)
        intake.meters.writer.countEvents(accepted: accepted, rejected: rejected)
        self.accepted += accepted
    }

    /// What `max-names` has left out.
    private func addNames(_ counts: [RejectionCount], of places: RecordPlaces) {
        for count in counts where count.code == EventRule.tooManyNames.code {
            rejections.add(
                .tooManyNames, count.count, at: places.place(of: count.firstIndex))
        }
    }

    /// One after another, as they would be stored.
    private func dryRun(_ batches: ArraySlice<LogBatch>, _ meter: Meter) {
        guard let batch = batches.first else { return proceed(meter) }
        guard let room = intake.room.reservation(batch.batch.memory, of: app) else {
            return refuse(Problem(.overloaded), meter)
        }
        let isTaken = intake.dryRuns.judge(batch.batch) { [self] result in
            room.release()
            switch result {
            case .success(let verdict):
                addNames(verdict.rejectionCounts, of: batch.places)
                intake.meters.judges.countBatch(.dryRun, profile: .otlp)
                dryRun(batches.dropFirst(), intake.meters.judges)
            case .failure: refuse(Problem(.internalError), intake.meters.judges)
            case nil: refuse(Problem(.overloaded), intake.meters.judges)
            }
        }
        guard !isTaken else { return }
        room.release()
        refuse(Problem(.overloaded), meter)
    }

    /// What is taken so far is on disk: the next part, or the answer.
    private func proceed(_ meter: Meter) {
        guard let rest, !rest.isEmpty else { return answer(meter) }
        guard rest.count > Self.minPausedCount, took > 0, paused < Self.maxPaused else {
            return resume(rest)
        }
        let pause = min(took, Self.maxPause)
        paused += pause
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(pause))) { [self] in
            resume(rest)
        }
    }

    private func resume(_ rest: LogsRest) {
        intake.judges.resume(of: app, isLong: isLong) { [self] judge in
            let meter = intake.meters.judges
            guard let judge else { return refuse(Problem(.overloaded), meter) }
            // A revocation holds for what is under way.
            do throws(BatchRefusal) { try request.renew(judge.keys) } catch {
                return refuse(Problem(ingest: error), meter)
            }
            take(judge.worker.acceptMore(of: rest), meter)
        }
    }

    private func answer(_ meter: Meter) {
        end()
        let arrival = exchange.arrival
        if refusedResources > 0, !request.isDryRun {
            meter.countBatch(
                .refused(.invalidDeviceID), profile: .otlp, count: refusedResources)
            intake.refusals.note(
                .invalidDeviceID, app: app, at: arrival, count: refusedResources)
        }
        request.note?.note(
            RequestNote.Counts(accepted: accepted, rejected: rejections.count))
        guard case .logs(let encoding?, let origin) = request.form else {
            return exchange.respond(.problem(Problem(.internalError)))
        }
        var response = LogsAnswer.response(rejections, encoding)
        response.allow(origin)
        exchange.respond(response)
    }

    private func refuse(_ problem: Problem, _ meter: Meter) {
        end()
        intake.refuse(problem, of: request, exchange, meter)
    }

    private func end() {
        rest = nil
        parts = nil
        restRoom?.release()
        restRoom = nil
    }
}
