import HTTP1
import Ingest
import Sockets

/// Answers the requests of one event loop: finds the route, checks the method and hands on. It lives
/// on that loop's thread alone, and so does the ingest worker it owns.
final class RouteHandler: RequestHandler {
    private let site: Site
    private let service: ServiceCore
    private let batches: BatchRoute?

    init(site: Site, service: ServiceCore) {
        self.site = site
        self.service = service
        batches = site.contains(.devices) ? BatchRoute(service: service) : nil
    }

    func admit(
        _ head: borrowing RequestHead, _ bytes: Span<UInt8>, _ exchange: Exchange
    ) -> Sockets.Admission {
        guard let route = route(of: head, bytes) else {
            return .answer(.problem(Problem(.notFound)))
        }
        let target = route.isIngest ? batches?.target(of: route) : nil
        guard target != nil || !route.isIngest else {
            return .answer(.problem(Problem(.unknownApp)))
        }
        if head.method == .options {
            return .answer(Response(status: 204, fields: [HeaderField("Allow", route.methods)]))
        }
        let isAllowed =
            route.takesPost ? head.method == .post : head.method == .get || head.method == .head
        guard isAllowed else {
            return .answer(.problem(Problem(.methodNotAllowed), allow: route.methods))
        }
        let limit = service.settings.maxBodyBytes
        guard let batches, let target else {
            return .readBody(limit: limit, context: AdmittedRequest(route))
        }
        do {
            let batch = try batches.admit(target, head, bytes, arrival: exchange.arrival)
            return .readBody(limit: limit, context: AdmittedRequest(route, batch: batch))
        } catch {
            return .answer(.problem(error))
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
        case .batches, .legacy:
            guard let batches, let batch = request.batch else {
                return exchange.respond(.problem(Problem(.internalError)))
            }
            batches.handle(batch, body: body, exchange)
        case .reportIndex, .report, .device:
            ReportRoute(service: service).handle(request.route, head, bytes, exchange)
        case .live:
            exchange.respond(.text("ok\n"))
        case .ready:
            exchange.respond(service.readiness)
        case .metrics:
            exchange.respond(service.metrics)
        case .control:
            ControlRoute(service: service).handle(body, exchange)
        case .server:
            exchange.respond(.problem(Problem(.notFound)))
        }
    }

    func refusal(_ reason: HTTP1.Refusal, context: AnyObject?, arrival: Int64) -> Response {
        let problem = Problem(http: reason)
        if let request = context as? AdmittedRequest, let batch = request.batch {
            service.intake.noteRefusal(problem.code, of: batch, at: arrival)
        }
        return .problem(problem)
    }

    private func route(of head: borrowing RequestHead, _ bytes: Span<UInt8>) -> Route? {
        if head.targetForm == .asterisk { return .server }
        guard let route = Route(path: bytes.extracting(head.path)), site.has(route) else {
            return nil
        }
        return route
    }
}
