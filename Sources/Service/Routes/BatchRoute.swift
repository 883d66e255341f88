import Events
import HTTP1
import Ingest
import Sockets
import Storage

/// `POST` of a batch: judged on the loop's thread unless it is large, stored by the writer, answered
/// when it is on disk (docs/protocol.md, The answer).
final class BatchRoute {
    private let service: ServiceCore
    private let worker: IngestWorker
    /// The apps and keys in force, and the version of the registry that they were made from.
    private var inForce: (version: Int, directory: Directory)

    init(service: ServiceCore) {
        self.service = service
        inForce = (service.store.registry.version, service.directory)
        worker = IngestWorker(
            limits: service.settings.ingestLimits.atMost(inflatedBytes: BodyJudges.inlineBytes),
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

    /// All that can be refused before the body is read, in the contract's order: the app, the form,
    /// the declared size, what the header proves.
    func admit(
        _ target: BatchTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, arrival: Int64
    ) throws(Problem) -> AdmittedBatch {
        guard service.clock.isPlausible(arrival) else { throw Problem(.clockUnset) }
        var isDryRun = false
        do throws(Problem) {
            isDryRun = try self.isDryRun(head, bytes)
            return AdmittedBatch(
                admission: try admission(target, head, bytes), isDryRun: isDryRun,
                directory: target.directory)
        } catch {
            // A key that nobody has is nobody's.
            if !isDryRun, let app = target.app {
                service.refusals.note(error.code, app: app.id, at: arrival)
            }
            throw error
        }
    }

    private func admission(
        _ target: BatchTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) throws(Problem) -> Ingest.Admission {
        if let key = target.legacyKey {
            try checkDeclaredSize(head)
            return try judging { () throws(Ingest.Refusal) in
                try Ingest.Admission(legacyKey: key, directory: target.directory)
            }
        }
        guard let app = target.app else { throw Problem(.unknownApp) }
        let format = try format(head, bytes)
        try checkDeclaredSize(head)
        let authorization = head.first(.authorization).map { text($0, bytes) }
        return try judging { () throws(Ingest.Refusal) in
            try Ingest.Admission(
                app: app, format: format, authorization: authorization,
                directory: target.directory)
        }
    }

    func handle(_ batch: AdmittedBatch, body: Span<UInt8>, _ exchange: Exchange) {
        do throws(Ingest.Refusal) {
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
            return exchange.respond(.problem(Problem(.overloaded)))
        }
        let intake = service.intake
        let budget = service.budget
        let taken = service.judges.judge(octets, batch, arrival: exchange.arrival) { verdict in
            budget.release(octets.count)
            intake.finish(verdict, of: batch, exchange)
        }
        guard !taken else { return }
        budget.release(octets.count)
        exchange.respond(.problem(Problem(.overloaded)))
    }

    private func finish(
        _ verdict: Result<Verdict, Ingest.Refusal>, _ batch: AdmittedBatch, _ exchange: Exchange
    ) {
        service.intake.finish(verdict, of: batch, exchange)
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
        var codings: [String] = []
        head.forEachValue(of: .contentEncoding) { codings.append(text($0, bytes)) }
        let type = head.first(.contentType).map { text($0, bytes) }
        return try judging { () throws(Ingest.Refusal) in
            try BodyFormat(contentType: type, codings: codings)
        }
    }

    private func judging<T>(_ work: () throws(Ingest.Refusal) -> T) throws(Problem) -> T {
        do throws(Ingest.Refusal) { return try work() } catch { throw Problem(ingest: error) }
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
        for pair in text(query, bytes).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0] == "dry_run" else { continue }
            switch (given, parts.count == 2 ? parts[1] : "") {
            case (nil, "1"): given = true
            case (nil, "0"): given = false
            default: throw Problem(.badRequest, detail: "Give dry_run once, the value 1 or 0.")
            }
        }
        return given ?? false
    }

    private func text(_ range: Range<Int>, _ bytes: Span<UInt8>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
