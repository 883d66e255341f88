import HTTP1
import Ingest
import Sockets

/// Answers the requests of one event loop: finds the route, checks the method and hands on. It lives
/// on that loop's thread alone, and so does the ingest worker it owns.
final class RouteHandler: RequestHandler {
    /// The routes that all event loops share.
    struct Routes: Sendable {
        let batches: BatchRoute.Parts
        /// Nil where the setting takes the page away.
        let dashboard: DashboardRoute?
        let reports: ReportRoute
        let control: ControlRoute
        let readiness: ReadinessRoute
        let metrics: MetricsSource
        let log: RequestLog
    }

    private let served: RouteSet
    private let routes: Routes
    private let batches: BatchRoute?
    private let meter: Meter
    private let log: RequestLog
    /// Where batches went last.
    private var ingest = LastParsed<Route>()

    /// - Parameter loop: the event loop's number
    init(_ served: RouteSet, of routes: Routes, loop: Int) {
        self.served = served
        self.routes = routes
        meter = routes.batches.intake.meters.loop(loop)
        log = routes.log
        batches = served.contains(.devices) ? BatchRoute(routes.batches, meter: meter) : nil
    }

    func admit(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: Exchange
    ) -> HeadVerdict {
        guard let route = route(of: head, bytes) else { return refuse(Problem(.notFound), nil) }
        if route == .otherSignal { return refuseSignal(head, bytes) }
        let target = route.isIngest ? batches?.target(of: route, head, bytes) : nil
        guard target != nil || !route.isIngest else {
            return refuse(Problem(.unknownApp), route)
        }
        if head.method == .options {
            count(RouteLabel(route), status: 204)
            if let answer = batches?.preflight(route, head, bytes) { return .answer(answer) }
            return .answer(Response(status: 204, fields: [HeaderField("Allow", route.methods)]))
        }
        let isAllowed =
            route.takesPost ? head.method == .post : head.method == .get || head.method == .head
        guard isAllowed else {
            return refuse(Problem(.methodNotAllowed), route, allow: route.methods)
        }
        let limit = routes.batches.maxBodyBytes
        guard let batches, let target else {
            let request = AdmittedRequest(route, note: log.note(RouteLabel(route)))
            return route.takesPost
                ? .readBody(limit: limit, context: request) : .handle(context: request)
        }
        do {
            var batch = try batches.admit(target, head, bytes, arrival: exchange.arrival)
            let admission = batch.admission
            let note = log.note(
                RouteLabel(route), app: admission.app.name, profile: admission.format.profile)
            batch.note = note
            return .readBody(
                limit: limit, context: AdmittedRequest(route, batch: batch, note: note),
                openingBytes: 1)
        } catch {
            return refuse(error, route, form: batches.form(of: route, head, bytes))
        }
    }

    /// Traces, metrics and profiles are not taken: to take and drop them would be a false receipt.
    private func refuseSignal(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>
    ) -> HeadVerdict {
        guard head.method == .post, let batches else { return refuse(Problem(.notFound), nil) }
        let problem = Problem(
            .notFound, detail: "Only logs are taken, at /v1/logs: switch this exporter off.")
        return refuse(problem, nil, form: batches.form(of: .otherSignal, head, bytes))
    }

    func judge(
        opening: Span<UInt8>, _ head: borrowing RequestHead, context: AnyObject?,
        _ exchange: Exchange
    ) -> OpeningVerdict {
        guard let batches, let request = context as? AdmittedRequest, let batch = request.batch
        else { return .readOn }
        do {
            return try batches.judge(opening: opening, batch).map { .needs($0) } ?? .readOn
        } catch {
            routes.batches.intake.noteRefusal(error.code, of: batch, at: exchange.arrival, meter)
            let response = batch.form.response(to: error)
            answered(request, status: response.status)
            return .answer(response)
        }
    }

    func handle(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, body: Span<UInt8>,
        context: AnyObject?, _ exchange: Exchange
    ) {
        guard let request = context as? AdmittedRequest else {
            return exchange.respond(.problem(Problem(.internalError)))
        }
        switch request.route {
        case .batches, .legacy, .logs:
            guard let batches, let batch = request.batch else {
                return exchange.respond(.problem(Problem(.internalError)))
            }
            batches.handle(batch, body: body, exchange)
        case .dashboard:
            guard let dashboard = routes.dashboard else {
                return exchange.respond(.problem(Problem(.internalError)))
            }
            exchange.respond(dashboard.response(to: head, bytes))
        case .reportIndex, .report, .device:
            routes.reports.handle(request.route, head, bytes, exchange)
        case .live:
            exchange.respond(.text("ok\n"))
        case .ready:
            exchange.respond(routes.readiness.response)
        case .metrics:
            let (metrics, answers) = (routes.metrics, routes.reports.answers)
            // The system makes its figures up while they are read.
            routes.reports.executor.offLoop {
                exchange.respond(answers.admit(metrics.response, of: nil))
            }
        case .control:
            routes.control.handle(body, exchange)
        case .server, .otherSignal:
            exchange.respond(.problem(Problem(.notFound)))
        }
    }

    func turnEnded() -> Bool { batches?.turnEnded() ?? false }

    func refusal(
        _ reason: RequestRefusal, _ head: borrowing RequestHead, _ bytes: Span<UInt8>,
        context: AnyObject?, arrival: Int64
    ) -> Response {
        let problem = Problem(http: reason)
        let request = context as? AdmittedRequest
        var known = request?.route
        var form = request?.batch?.form ?? .problem
        if let batch = request?.batch {
            routes.batches.intake.noteRefusal(problem.code, of: batch, at: arrival, meter)
        } else if !head.path.isEmpty, head.path.upperBound <= bytes.count {
            // Its target was understood: the path names its route.
            known = route(of: head, bytes)
            if let known, head.method == .post {
                batches?.noteRefusal(problem.code, known, head, bytes, at: arrival)
                form = batches?.form(of: known, head, bytes) ?? .problem
            }
        }
        let response = form.ofHTTP(problem.code).response(to: problem)
        let route = RouteLabel(known)
        meter.countRequest(route, status: response.status)
        if let note = request?.note {
            note.note(problem.code)
            log.write(note, status: response.status)
        } else {
            log.write(refused: problem.code, route, status: response.status)
        }
        return response
    }

    func answered(_ context: AnyObject, status: Int) {
        guard let request = context as? AdmittedRequest else { return }
        meter.countRequest(RouteLabel(request.route), status: status)
        if let note = request.note { log.write(note, status: status) }
    }

    /// Answers before the body.
    private func refuse(
        _ problem: Problem, _ route: Route?, allow: String? = nil, form: AnswerForm = .problem
    ) -> HeadVerdict {
        let response = form.response(to: problem, allow: allow)
        meter.countRequest(RouteLabel(route), status: response.status)
        log.write(refused: problem.code, RouteLabel(route), status: response.status)
        return .answer(response)
    }

    private func count(_ route: RouteLabel, status: Int) {
        meter.countRequest(route, status: status)
        if let note = log.note(route) { log.write(note, status: status) }
    }

    private func route(of head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Route? {
        if head.targetForm == .asterisk { return .server }
        // A URL without a path stands for `/` (RFC 9110 §4.2.3).
        if head.targetForm == .absolute, head.path.isEmpty {
            return served.has(.dashboard) ? .dashboard : nil
        }
        let path = bytes.extracting(head.path)
        if let known = ingest.value(of: path) { return known }
        guard let route = Route(path: path), served.has(route) else { return nil }
        if route.isIngest { ingest.keep(route, of: path) }
        return route
    }
}

/// A request whose body is worth reading: where it goes, and what its head has proved.
final class AdmittedRequest {
    let route: Route
    /// Of a batch.
    let batch: AdmittedBatch?
    /// For the log, where that wants to know.
    let note: RequestNote?

    init(_ route: Route, batch: AdmittedBatch? = nil, note: RequestNote? = nil) {
        self.route = route
        self.batch = batch
        self.note = note
    }
}

/// What was last parsed of a head: devices send the same bytes again and again. Of one thread.
struct LastParsed<Value> {
    private var first: [UInt8] = []
    private var second: [UInt8] = []
    private var value: Value?
    /// More bytes than that are parsed each time.
    private static var maxBytes: Int { 256 }

    /// What was parsed of exactly these bytes; nil where others were.
    func value(of first: Span<UInt8>, _ second: Span<UInt8> = Span()) -> Value? {
        Self.isEqual(first, self.first) && Self.isEqual(second, self.second) ? value : nil
    }

    /// Keeps this instead.
    mutating func keep(
        _ value: Value, of first: Span<UInt8>, _ second: Span<UInt8> = Span()
    ) {
        guard first.count <= Self.maxBytes, second.count <= Self.maxBytes else { return }
        self.first = first.withUnsafeBufferPointer { Array($0) }
        self.second = second.withUnsafeBufferPointer { Array($0) }
        self.value = value
    }

    private static func isEqual(_ bytes: Span<UInt8>, _ others: [UInt8]) -> Bool {
        guard bytes.count == others.count else { return false }
        for index in others.indices where bytes[index] != others[index] { return false }
        return true
    }
}
