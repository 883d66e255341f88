import HTTP1
import Ingest
import JSON
import Protobuf

/// How a request wants to be answered: its problems, and who may read them.
enum AnswerForm: Sendable {
    /// problem+json.
    case problem
    /// As OTLP has it (docs/opentelemetry.md): in the request's encoding, nil where that is none of the two; to a page
    /// of that origin, nil where it is none or not listed.
    case logs(LogsEncoding?, origin: String?)

    /// - Parameter allow: the methods of a resource that has not the one that was asked for
    func response(to problem: Problem, allow: String? = nil) -> Response {
        guard case .logs(let encoding, let origin) = self else {
            return .problem(problem, allow: allow)
        }
        let retry = OTLPRetry(problem.code)
        var response: Response
        if let encoding {
            response = Response(
                status: retry.status, contentType: encoding.mediaType,
                body: Self.status(
                    "\(problem.code.rawValue): \(Self.detail(of: problem))", encoding))
            response.fields = Response.problem(problem).fields
        } else {
            response = .problem(
                Problem(
                    problem.code, detail: Self.detail(of: problem), retryAfter: problem.retryAfter),
                allow: allow, status: retry.status)
        }
        if problem.retryAfter == nil, let seconds = retry.after {
            response.fields.append(HeaderField("Retry-After", String(seconds)))
        }
        switch problem.code {
        case .unsupportedMediaType:
            let types = LogsEncoding.allCases.map { "\($0.mediaType)" }
            response.set("Accept", types.joined(separator: ", "))
        case .unsupportedEncoding: response.set("Accept-Encoding", "gzip")
        default: break
        }
        response.allow(origin)
        return response
    }

    /// The same for what HTTP itself refuses, which has one form everywhere but where a request's body is too slow,
    /// too large, or comes too late.
    func ofHTTP(_ code: ProblemCode) -> AnswerForm {
        guard case .logs(_, let origin) = self else { return self }
        switch code {
        case .requestTimeout, .bodyTooLarge, .shuttingDown: return self
        default: return .logs(nil, origin: origin)
        }
    }

    /// `google.rpc.Status` with its message alone.
    private static func status(_ message: String, _ encoding: LogsEncoding) -> [UInt8] {
        switch encoding {
        case .protobuf:
            var writer = MessageWriter()
            writer.text(2, message)
            return writer.bytes
        case .json:
            var writer = JSON.Writer()
            writer.beginObject()
            writer.member("message", message)
            writer.endObject()
            return writer.bytes
        }
    }

    /// What an operator of a Collector, or of an app's SDK, can do.
    private static func detail(of problem: Problem) -> String {
        switch problem.code {
        case .unsupportedMediaType: "Send application/x-protobuf or application/json."
        case .unsupportedEncoding: "Send the body as it is or with Content-Encoding gzip."
        case .undecodable: "Check the compression of the body."
        case .plainNotAllowed:
            "Let the operator allow plain for this app: sojourn app set with --allow-plain."
        case .forbidden: "Use a token of scope ingest."
        case .bodyTooLarge: "Send smaller requests."
        case .inflatedTooLarge: "Send smaller requests: this one inflates to too much."
        case .tooManyEvents: "Send fewer records in a request."
        case .tooManyElements: "Send smaller requests: this one has too many fields or values."
        case .rateLimited: "Send less often: put more records into a request, up to 256 KiB."
        default: problem.detail
        }
    }
}

/// What a status has to be so that OTLP's clients come again where that helps: they repeat 429, 502, 503 and 504 alone.
private struct OTLPRetry {
    let status: Int
    /// Seconds, where the code itself has none.
    let after: Int?

    init(_ code: ProblemCode) {
        switch code {
        case .requestTimeout, .internalError, .storageFull: (status, after) = (503, 5)
        default: (status, after) = (code.status, nil)
        }
    }
}

extension Response {
    /// Replaces a field, or adds it.
    fileprivate mutating func set(_ name: StaticString, _ value: String) {
        fields.removeAll { "\($0.name)" == "\(name)" }
        fields.append(HeaderField(name, value))
    }

    /// Lets a page of that origin read it (WHATWG Fetch, CORS protocol); nil: none.
    mutating func allow(_ origin: String?) {
        guard let origin else { return }
        fields += [
            HeaderField("Access-Control-Allow-Origin", origin),
            HeaderField("Access-Control-Expose-Headers", "Retry-After"),
            HeaderField("Vary", "Origin"),
        ]
    }

    /// The answer to a preflight from a listed origin.
    /// - Parameter fields: those that the page may send
    static func preflight(_ origin: String, fields: String, allow: String) -> Response {
        Response(
            status: 204,
            fields: [
                HeaderField("Allow", allow),
                HeaderField("Access-Control-Allow-Origin", origin),
                HeaderField("Access-Control-Allow-Methods", "POST"),
                HeaderField("Access-Control-Allow-Headers", fields),
                HeaderField("Access-Control-Max-Age", "7200"),
                HeaderField("Vary", "Origin, Access-Control-Request-Headers"),
            ])
    }
}
