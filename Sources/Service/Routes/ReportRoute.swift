import Database
import Events
import HTTP1
import Ingest
import Logging
import Query
import Reports
import Sockets
import Storage

/// `GET /report…`: who asks, what is asked, then computing beside ingest (docs/reports.md, Asking).
struct ReportRoute: Sendable {
    let executor: ReportExecutor
    let source: any ReportSource
    let settings: ReportSettings
    let keys: KeysInForce
    let registry: Registry
    let refusals: RefusalLedger
    /// Memory of answers that wait for their readers, token by token.
    let answers: AnswerRoom
    let meters: Meters
    let stop: StopFlag
    let logger: Logging.Logger

    func handle(
        _ route: Route, _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: Exchange
    ) {
        func value(_ range: Range<Int>) -> String {
            bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        }
        do throws(Problem) {
            guard head.count(of: .authorization) < 2 else {
                throw Problem(.badRequest, detail: "Send Authorization once.")
            }
            let token = try reader(authorization: head.first(.authorization).map(value))
            let query = head.query.map { Array(value($0).utf8) } ?? []
            var known: [String] = []
            head.forEachValue(of: .ifNoneMatch) { known.append(value($0)) }
            if case .device(let hash) = route {
                let question = try question(
                    DevicesReport.definition.name, query: query, token: token)
                guard let device = DeviceHash(hex: hash) else { throw Problem(.unknownDevice) }
                return answer(
                    lines: question, of: device, token, unless: known,
                    isHead: head.method == .head, exchange)
            }
            guard case .report(let name) = route else {
                guard route == .reportIndex else { throw Problem(.unknownReport) }
                return answer(indexFor: token, unless: known, exchange)
            }
            let question = try question(name, query: query, token: token)
            switch question.definition.shape {
            case .lines:
                return answer(
                    lines: question, token, unless: known, isHead: head.method == .head, exchange)
            case .device: throw Problem(.unknownDevice)
            case .rows: break
            }
            answer(
                rows: question, token, as: question.format(accept: head.first(.accept).map(value)),
                unless: known, exchange)
        } catch {
            exchange.respond(.problem(error))
        }
    }

    private func reader(authorization: String?) throws(Problem) -> AccessList.Grant {
        do throws(BatchRefusal) {
            let token = try keys.directory.token(authorization: authorization)
            guard token.scope == .report || token.scope == .admin else { throw .forbidden }
            return token
        } catch {
            throw Problem(ingest: error)
        }
    }

    private func question(
        _ name: String, query: [UInt8], token: AccessList.Grant
    ) throws(Problem) -> Question {
        let (list, definition, asked) = try asking { () throws(ReportError) in
            let list = try ParameterList(
                decoded: QueryString.pairs(query).map { ($0.name, $0.value) })
            return (list, try ReportDefinition.named(name), try list.app())
        }
        let app = registry.snapshot.app(named: asked)
        // A token of one app learns nothing of others, not even whether they exist.
        if let own = token.app, own != app?.id { throw Problem(.forbidden) }
        guard let app else { throw Problem(.unknownApp) }
        let question = try asking { () throws(ReportError) in
            try Question(
                definition, list, app: QueryApp(app), now: Timestamp.milliseconds,
                settings: settings)
        }
        if question.showsSingleDevices, settings.minGroup > 1, token.scope != .admin {
            let isOfRows = if case .rows = definition.shape { true } else { false }
            throw Problem(
                .forbidden,
                detail: (isOfRows ? "With filters this report shows" : "This report shows")
                    + " single devices, and report-min-group hides groups "
                    + "of fewer than \(settings.minGroup): it is for admin tokens only.")
        }
        return question
    }

    private func asking<T>(_ work: () throws(ReportError) -> T) throws(Problem) -> T {
        do throws(ReportError) { return try work() } catch { throw Problem(report: error) }
    }

    /// The reports, and the apps that the token may ask about. The tag is of all that it says, and of whose apps
    /// it lists: where there is one app alone, its token's tag still is not that of a token for all.
    private func answer(
        indexFor token: AccessList.Grant, unless known: [String], _ exchange: Exchange
    ) {
        let apps = registry.snapshot.apps.filter { token.app == nil || token.app == $0.id }
        let json = ReportIndex.json(apps: apps.map { QueryApp($0) }, settings: settings)
        let whose = token.app.map { "of \($0)\n" } ?? "of all\n"
        let tag = EntityTag(version: whose.utf8 + json, form: "application/json")
        let fields = [tag.field, HeaderField("Vary", "Accept")]
        guard !tag.isNamed(by: known) else {
            return exchange.respond(Response(status: 304, fields: fields))
        }
        let index = Response(
            status: 200, contentType: "application/json", body: json, fields: fields)
        exchange.respond(answers.admit(index, of: token.id))
    }

    /// - Parameter known: the values of `If-None-Match`
    private func answer(
        rows question: Question, _ token: AccessList.Grant, as format: ReportFormat,
        unless known: [String], _ exchange: Exchange
    ) {
        let (source, answers, refusals) = (source, answers, refusals)
        submit(question.definition.name, token, exchange) {
            connection, interruption in
            // What was refused before the question belongs into its answer.
            if question.definition.sources.contains(.refusals) { refusals.settle() }
            let vary = HeaderField("Vary", "Accept")
            switch try source.rows(question, as: format, unless: known, connection, interruption) {
            case .known(let fields):
                return { exchange.respond(Response(status: 304, fields: fields + [vary])) }
            case .body(let body, let fields):
                let response = answers.admit(
                    Response(
                        status: 200, contentType: format.contentType, body: body,
                        fields: fields + [vary]),
                    of: token.id)
                return { exchange.respond(response) }
            }
        }
    }

    /// The first page comes before the head: what fails at once, or takes too long, still gets an error.
    /// - Parameter device: whose lines alone are asked for
    private func answer(
        lines question: Question, of device: DeviceHash? = nil, _ token: AccessList.Grant,
        unless known: [String], isHead: Bool, _ exchange: Exchange
    ) {
        let name = question.definition.name
        let (source, executor, answers, logger) = (source, executor, answers, logger)
        // For a head without a page, one line shows whether it can be computed.
        let limit = isHead ? 1 : ExportSource.pageSize
        submit(name, token, exchange) {
            connection, interruption in
            let vary = HeaderField("Vary", "Accept")
            switch try source.lines(
                question, of: device, unless: known, limit: limit, connection, interruption)
            {
            case .unknownDevice:
                return { exchange.respond(.problem(Problem(.unknownDevice))) }
            case .known(let fields):
                return { exchange.respond(Response(status: 304, fields: fields + [vary])) }
            case .page(let page, let lines, let fields, let rest):
                return {
                    let stream = ExportSource(
                        lines, page: page, isHead: isHead, reports: executor, rest,
                        answers: answers, of: token.id
                    ) {
                        $0.note(ofStream: name, logger)
                    }
                    guard let stream else {
                        return exchange.respond(.problem(Problem(.overloaded)))
                    }
                    exchange.respond(
                        Response(
                            status: 200, contentType: ExportReport.contentType,
                            fields: fields + [vary], stream: stream))
                }
            }
        }
    }

    /// Has it computed beside ingest, as long as its client is there.
    /// - Parameters:
    ///   - name: of the report, for the time that it takes
    ///   - token: that asks for it
    private func submit(
        _ name: String, _ token: AccessList.Grant, _ exchange: Exchange,
        _ work: @escaping ReportJob.Work
    ) {
        let (executor, logger) = (executor, logger)
        let histogram = meters.reportSeconds[name]
        let timed: ReportJob.Work = { connection, interruption in
            let begin = Clock.system.monotonic()
            defer { histogram?.observe(Int(Clock.system.monotonic() - begin)) }
            return try work(connection, interruption)
        }
        let job = executor.submit(named: "report \(name)", of: token.id, timed) { failure in
            exchange.respond(.problem(failure.problem(logger)))
        }
        guard let job else {
            let code: ProblemCode = stop.isRaised ? .shuttingDown : .overloaded
            return exchange.respond(.problem(Problem(code)))
        }
        exchange.whenGone { executor.cancel(job) }
    }
}
