import Events
import HTTP1
import Ingest
import Reports
import Sockets
import Storage

/// `POST` of a batch: judged on the loop's thread unless it is large, stored by the writer, answered
/// when it is on disk (docs/protocol.md, The answer).
final class BatchRoute {
    private let service: ServiceCore
    private let worker: IngestWorker
    /// The apps and keys in force, and the version of the registry that they were made from.
    private var inForce: (version: Int, directory: Directory)
    private let meter: Meter
    /// By `Content-Type` and `Content-Encoding`.
    private var format = Remembered<BodyFormat>()

    init(service: ServiceCore, meter: Meter) {
        self.service = service
        self.meter = meter
        inForce = (service.store.registry.version, service.directory)
        worker = IngestWorker(
            limits: service.settings.ingestLimits(service.floor)
                .atMost(inflatedBytes: BodyJudges.inlineBytes),
            pepper: service.store.masterKey.pepper)
    }

    /// Where a batch's path leads. Nil where it names an app that does not exist; a legacy key is
    /// looked up with what it proves, later.
    func target(of route: Route) -> BatchTarget? {
        let directory = directory
        switch route {
        case .batches(let name):
            return directory.app(named: name).map { BatchTarget(app: $0, directory: directory) }
        case .legacy(let key):
            return BatchTarget(
                app: directory.app(ofLegacyKey: key), legacyKey: key, directory: directory)
        default: return nil
        }
    }

    /// Counts a batch whose head breaks the protocol behind its request line.
    func noteRefusal(
        _ code: ProblemCode, _ route: Route, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        at arrival: Int64
    ) {
        guard let target = target(of: route) else { return }
        let isDryRun = (try? self.isDryRun(head, bytes)) ?? false
        count(code, of: target, profile: nil, isDryRun: isDryRun, at: arrival)
    }

    /// Counts a batch that is refused by its head.
    private func count(
        _ code: ProblemCode, of target: BatchTarget, profile: Profile?, isDryRun: Bool,
        at arrival: Int64
    ) {
        meter.countBatch(.refused(code), profile: profile)
        // A key that nobody has is nobody's.
        guard !isDryRun, let app = target.app else { return }
        service.refusals.note(code, app: app.id, at: arrival)
    }

    /// All that can be refused before the body is read, in the contract's order: the app, the form,
    /// the declared size, what the header proves.
    func admit(
        _ target: BatchTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, arrival: Int64
    ) throws(Problem) -> AdmittedBatch {
        var isDryRun = false
        var profile: Profile?
        do throws(Problem) {
            guard service.clock.isPlausible(arrival) else { throw Problem(.clockUnset) }
            isDryRun = try self.isDryRun(head, bytes)
            let admission = try admission(target, head, bytes, &profile)
            try checkRate(admission)
            return AdmittedBatch(
                admission: admission, isDryRun: isDryRun, directory: target.directory)
        } catch {
            count(error.code, of: target, profile: profile, isDryRun: isDryRun, at: arrival)
            throw error
        }
    }

    private func admission(
        _ target: BatchTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        _ profile: inout Profile?
    ) throws(Problem) -> Ingest.Admission {
        if let key = target.legacyKey {
            profile = .legacy
            try checkDeclaredSize(head)
            return try judging { () throws(Ingest.Refusal) in
                try Ingest.Admission(legacyKey: key, directory: target.directory)
            }
        }
        guard let app = target.app else { throw Problem(.unknownApp) }
        try checkSingle(head)
        let format = try format(head, bytes)
        profile = format.profile
        try checkDeclaredSize(head)
        let authorization = head.first(.authorization).map { text($0, bytes) }
        return try judging { () throws(Ingest.Refusal) in
            try Ingest.Admission(
                app: app, format: format, authorization: authorization,
                directory: target.directory)
        }
    }

    /// What the head has proved may post so often; a key that the body names is looked at later.
    private func checkRate(_ admission: Ingest.Admission) throws(Problem) {
        guard let limiter = service.rateLimiter else { return }
        if let token = admission.token, !limiter.admits(token: token) {
            throw Problem(.rateLimited)
        }
        if let key = admission.pathKey, !limiter.admits(key: key.id) { throw Problem(.rateLimited) }
    }

    func handle(_ batch: AdmittedBatch, body: Span<UInt8>, _ exchange: Exchange) {
        do throws(Ingest.Refusal) {
            if let limiter = service.rateLimiter,
                let key = try worker.key(of: body, batch.admission, directory: batch.directory),
                !limiter.admits(key: key)
            {
                return refuse(.rateLimited, batch, exchange)
            }
            let verdict = try worker.accept(
                body, batch.admission, arrival: exchange.arrival, directory: batch.directory)
            finish(.success(verdict), batch, exchange)
        } catch {
            guard error == .inflatedTooLarge else {
                return finish(.failure(error), batch, exchange)
            }
            handOver(body, batch, exchange)
        }
    }

    /// Lets a judge beside the loop have it, who takes what the settings allow.
    private func handOver(_ body: Span<UInt8>, _ batch: AdmittedBatch, _ exchange: Exchange) {
        let octets = body.withUnsafeBufferPointer { Array($0) }
        guard service.budget.reserve(octets.count) else {
            return refuse(.overloaded, batch, exchange)
        }
        let intake = service.intake
        let budget = service.budget
        let meter = service.meters.judges
        let taken = service.judges.judge(octets, batch, arrival: exchange.arrival) { verdict in
            budget.release(octets.count)
            guard let verdict else {
                return intake.refuse(Problem(.overloaded), of: batch, exchange, meter)
            }
            intake.finish(verdict, of: batch, exchange, meter)
        }
        guard !taken else { return }
        budget.release(octets.count)
        refuse(.overloaded, batch, exchange)
    }

    private func refuse(_ code: ProblemCode, _ batch: AdmittedBatch, _ exchange: Exchange) {
        service.intake.refuse(Problem(code), of: batch, exchange, meter)
    }

    private func finish(
        _ verdict: Result<Verdict, Ingest.Refusal>, _ batch: AdmittedBatch, _ exchange: Exchange
    ) {
        service.intake.finish(verdict, of: batch, exchange, meter)
    }

    /// Made anew only when the registry has changed: one atomic read a request.
    private var directory: Directory {
        let version = service.store.registry.version
        if version != inForce.version { inForce = (version, service.directory) }
        return inForce.directory
    }

    private func format(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) throws(Problem) -> BodyFormat {
        let type = bytes.extracting(head.first(.contentType) ?? 0..<0)
        let isOne = head.count(of: .contentEncoding) < 2
        let coding = bytes.extracting(head.first(.contentEncoding) ?? 0..<0)
        if isOne, let known = format.value(of: type, coding) { return known }
        var codings: [String] = []
        head.forEachValue(of: .contentEncoding) { codings.append(text($0, bytes)) }
        let made = try judging { () throws(Ingest.Refusal) in
            try BodyFormat(
                contentType: head.first(.contentType).map { text($0, bytes) }, codings: codings)
        }
        if isOne { format.keep(made, of: type, coding) }
        return made
    }

    private func judging<T>(_ work: () throws(Ingest.Refusal) -> T) throws(Problem) -> T {
        do throws(Ingest.Refusal) { return try work() } catch { throw Problem(ingest: error) }
    }

    /// What stands there twice others may read the other way round.
    private func checkSingle(_ head: borrowing RequestHead) throws(Problem) {
        guard head.count(of: .authorization) < 2, head.count(of: .contentType) < 2 else {
            throw Problem(.badRequest, detail: "Send Authorization and Content-Type once.")
        }
    }

    private func checkDeclaredSize(_ head: borrowing RequestHead) throws(Problem) {
        if case .length(let declared) = head.body, declared > service.settings.maxBodyBytes {
            throw Problem(.bodyTooLarge)
        }
    }

    /// `dry_run=1`; `0` is the default, anything else and a second value are refused; other
    /// parameters are ignored.
    private func isDryRun(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) throws(Problem) -> Bool {
        guard let query = head.query else { return false }
        var given: Bool?
        let octets = bytes.extracting(query).withUnsafeBufferPointer { Array($0) }
        for pair in octets.split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            // A name that cannot be decoded is another one's.
            guard let name = ParameterList.decoded(pair[..<equals]),
                name.elementsEqual("dry_run".utf8)
            else { continue }
            switch (given, ParameterList.decoded(pair[equals...].dropFirst())) {
            case (nil, [UInt8(ascii: "1")]): given = true
            case (nil, [UInt8(ascii: "0")]): given = false
            default: throw Problem(.badRequest, detail: "Give dry_run once, the value 1 or 0.")
            }
        }
        return given ?? false
    }

    private func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
