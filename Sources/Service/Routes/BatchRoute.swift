import Events
import HTTP1
import Ingest
import Sockets
import Storage

/// `POST` of a batch: judged on the loop's thread unless it is large, stored by the writer, answered
/// when it is on disk (docs/protocol.md, The answer).
final class BatchRoute {
    /// What the event loops' routes share.
    struct Parts: Sendable {
        let keys: KeysInForce
        let intake: BatchIntake
        let judges: BodyJudges
        let limits: IngestLimits
        let pepper: [UInt8]
        let maxBodyBytes: Int
        let origins: CORSOrigins
    }

    private let parts: Parts
    private let bodies: LoopJudge
    /// The apps and keys in force when a request last asked.
    private var inForce: AccessList
    private let meter: Meter
    /// By `Content-Type` and `Content-Encoding`, of the batches' endpoint and the logs'.
    private var format = LastParsed<BodyFormat>()
    private var logsFormat = LastParsed<BodyFormat>()

    init(_ parts: Parts, meter: Meter) {
        self.parts = parts
        self.meter = meter
        inForce = parts.keys.directory
        bodies = LoopJudge(
            parts.intake, parts.judges, limits: parts.limits, pepper: parts.pepper, meter: meter)
    }

    private var intake: BatchIntake { parts.intake }

    /// Where a batch's path leads. Nil where it names an app that does not exist; a legacy key is
    /// looked up with what it proves, later.
    func target(
        of route: Route, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> BatchTarget? {
        let directory = directory
        switch route {
        case .batches(let name):
            return directory.app(named: name).map { BatchTarget(app: $0, directory: directory) }
        case .legacy(let key):
            return BatchTarget(
                app: directory.app(ofLegacyKey: key), legacyKey: key, directory: directory)
        case .logs:
            let app = directory.app(ofIngestToken: authorization(head, bytes))
            return BatchTarget(app: app, isLogs: true, directory: directory)
        default: return nil
        }
    }

    /// How a request to a route wants to be answered.
    func form(
        of route: Route, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> AnswerForm {
        switch route {
        case .logs: .logs(encoding(head, bytes), origin: origin(head, bytes))
        case .otherSignal: .logs(encoding(head, bytes), origin: nil)
        default: .problem
        }
    }

    /// The answer to `OPTIONS` of the logs' endpoint from a listed origin that asks whether it may post; nil for
    /// any other.
    func preflight(
        _ route: Route, _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> Response? {
        guard route == .logs, let origin = origin(head, bytes),
            let method = head.first(.accessControlRequestMethod), text(method, bytes) == "POST"
        else { return nil }
        var fields: [String] = []
        head.forEachValue(of: .accessControlRequestHeaders) { fields.append(text($0, bytes)) }
        return .preflight(
            origin, fields: CORSOrigins.allowedFields(fields), allow: route.methods)
    }

    private func encoding(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> LogsEncoding? {
        head.first(.contentType).flatMap { LogsEncoding(contentType: text($0, bytes)) }
    }

    /// The origin of the page that asks, if it is listed.
    private func origin(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) -> String? {
        guard !parts.origins.isEmpty, head.count(of: .origin) == 1 else { return nil }
        let origin = head.first(.origin).map { text($0, bytes) }
        return origin.flatMap { parts.origins.allows($0) ? $0 : nil }
    }

    private func authorization(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> String? {
        head.first(.authorization).map { text($0, bytes) }
    }

    /// Counts a batch whose head breaks the protocol after its request line.
    func noteRefusal(
        _ code: ProblemCode, _ route: Route, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        at arrival: Int64
    ) {
        guard let target = target(of: route, head, bytes) else { return }
        let isDryRun = (try? self.isDryRun(head, bytes)) ?? false
        count(
            code, of: target, profile: target.isLogs ? .otlp : nil, isDryRun: isDryRun, at: arrival)
    }

    /// Counts a batch that is refused by its head.
    private func count(
        _ code: ProblemCode, of target: BatchTarget, profile: Profile?, isDryRun: Bool,
        at arrival: Int64
    ) {
        meter.countBatch(.refused(code), profile: profile)
        // A key that nobody has is nobody's.
        guard !isDryRun, let app = target.app else { return }
        intake.refusals.note(code, app: app.id, at: arrival)
    }

    /// All that can be refused before the body is read, in the contract's order: the app, the form,
    /// the declared size, what the header proves.
    func admit(
        _ target: BatchTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, arrival: Int64
    ) throws(Problem) -> AdmittedBatch {
        var isDryRun = false
        var profile: Profile? = target.isLogs ? .otlp : nil
        do throws(Problem) {
            // What says when it was sent may speak for the clock.
            guard
                target.isLogs
                    ? intake.clock.isUsable(arrival) : intake.clock.isPossible(arrival)
            else { throw Problem(.clockUnset) }
            isDryRun = try self.isDryRun(head, bytes)
            let admission = try admission(target, head, bytes, &profile)
            var batch = AdmittedBatch(
                admission: admission, isDryRun: isDryRun, directory: target.directory,
                form: target.isLogs ? form(of: .logs, head, bytes) : .problem)
            if let wait = intake.rateLimiter?.admit(&batch) {
                throw Problem(.rateLimited, retryAfter: wait)
            }
            return batch
        } catch {
            count(error.code, of: target, profile: profile, isDryRun: isDryRun, at: arrival)
            throw error
        }
    }

    private func admission(
        _ target: BatchTarget, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        _ profile: inout Profile?
    ) throws(Problem) -> Admission {
        if let key = target.legacyKey {
            profile = .legacy
            try checkDeclaredSize(head)
            return try judging { () throws(BatchRefusal) in
                try Admission(legacyKey: key, access: target.directory)
            }
        }
        if target.isLogs {
            try checkSingle(head)
            let format = try format(head, bytes, isLogs: true)
            try checkDeclaredSize(head)
            let authorization = authorization(head, bytes)
            return try judging { () throws(BatchRefusal) in
                try Admission(
                    logs: format, authorization: authorization, access: target.directory)
            }
        }
        guard let app = target.app else { throw Problem(.unknownApp) }
        try checkSingle(head)
        let format = try format(head, bytes)
        profile = format.profile
        try checkDeclaredSize(head)
        let authorization = authorization(head, bytes)
        return try judging { () throws(BatchRefusal) in
            try Admission(
                app: app, format: format, authorization: authorization,
                access: target.directory)
        }
    }

    /// Judges the first bytes of a body, as far as they name its key.
    /// - Returns: how many of them that takes, if it is more than are here
    func judge(opening: Span<UInt8>, _ batch: AdmittedBatch) throws(Problem) -> Int? {
        try judging { () throws(BatchRefusal) in
            try bodies.worker.judge(opening: opening, batch.admission, access: directory)
        }
    }

    func handle(_ batch: AdmittedBatch, body: Span<UInt8>, _ exchange: Exchange) {
        bodies.take(body, batch, by: directory, exchange)
    }

    /// All whom the loop heard in this turn have been read.
    /// - Returns: whether bodies wait still
    func turnEnded() -> Bool { bodies.turnEnded { directory } }

    /// Asked for anew only when the registry has changed: one atomic read a request.
    private var directory: AccessList {
        if parts.keys.version != inForce.version { inForce = parts.keys.directory }
        return inForce
    }

    private func format(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, isLogs: Bool = false
    ) throws(Problem) -> BodyFormat {
        let type = bytes.extracting(head.first(.contentType) ?? 0..<0)
        let isOne = head.count(of: .contentEncoding) < 2
        let coding = bytes.extracting(head.first(.contentEncoding) ?? 0..<0)
        if isOne {
            let known = isLogs ? logsFormat.value(of: type, coding) : format.value(of: type, coding)
            if let known { return known }
        }
        var codings: [String] = []
        head.forEachValue(of: .contentEncoding) { codings.append(text($0, bytes)) }
        let made = try judging { () throws(BatchRefusal) in
            guard isLogs else {
                return try BodyFormat(
                    contentType: head.first(.contentType).map { text($0, bytes) },
                    codings: codings)
            }
            guard let encoding = encoding(head, bytes) else { throw .unsupportedMediaType }
            return try BodyFormat(logs: encoding, codings: codings)
        }
        guard isOne else { return made }
        if isLogs {
            logsFormat.keep(made, of: type, coding)
        } else {
            format.keep(made, of: type, coding)
        }
        return made
    }

    private func judging<T>(_ work: () throws(BatchRefusal) -> T) throws(Problem) -> T {
        do throws(BatchRefusal) { return try work() } catch { throw Problem(ingest: error) }
    }

    /// A proxy may honour the other of two such fields.
    private func checkSingle(_ head: borrowing RequestHead) throws(Problem) {
        guard head.count(of: .authorization) < 2, head.count(of: .contentType) < 2 else {
            throw Problem(.badRequest, detail: "Send Authorization and Content-Type once.")
        }
    }

    private func checkDeclaredSize(_ head: borrowing RequestHead) throws(Problem) {
        if case .length(let declared) = head.body, declared > parts.maxBodyBytes {
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
        let raw = bytes.extracting(query).withUnsafeBufferPointer { Array($0) }
        // A name that cannot be decoded is another one's.
        for pair in QueryString.pairs(raw) where pair.name == Array("dry_run".utf8) {
            switch (given, pair.value) {
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

/// Where a batch's path leads: looked up once, with the apps and keys that were in force then.
struct BatchTarget {
    /// The app that the path names, itself or by one of its keys, revoked ones too; nil where a legacy
    /// key is nobody's.
    let app: AccessList.App?
    /// The key that the path names; nil where it names the app.
    var legacyKey: String?
    /// The path is the logs' endpoint, and the app that of the token, if that is good.
    var isLogs = false
    let directory: AccessList
}
