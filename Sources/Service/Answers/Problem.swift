import Events
import HTTP1
import Ingest
import JSON
import Storage

/// The answer to a rejected request: problem+json (RFC 9457) with a `code` by which a client decides
/// what to do (docs/protocol.md, The answer). `detail` repeats nothing of the request.
package struct Problem: Error, Equatable, Sendable {
    package let code: ProblemCode
    package let detail: String
    /// Seconds after which to try again; nil where that is no use, or nobody knows.
    package let retryAfter: Int?

    /// - Parameter retryAfter: where more is known than the code implies
    package init(_ code: ProblemCode, detail: String? = nil, retryAfter: Int? = nil) {
        self.code = code
        self.detail = detail ?? code.row.detail
        self.retryAfter = retryAfter ?? code.row.retryAfter
    }

    /// What ingest refuses.
    package init(ingest refusal: BatchRefusal) {
        switch refusal {
        case .unsupportedMediaType: self.init(.unsupportedMediaType)
        case .unsupportedEncoding: self.init(.unsupportedEncoding)
        case .unauthorized: self.init(.unauthorized)
        case .forbidden: self.init(.forbidden)
        case .plainNotAllowed: self.init(.plainNotAllowed)
        case .unknownKey: self.init(.unknownKey)
        case .revokedKey: self.init(.revokedKey)
        case .undecodable: self.init(.undecodable)
        case .inflatedTooLarge: self.init(.inflatedTooLarge)
        // A judge beside the loop answers, or there is no room for one.
        case .tooMuchHere: self.init(.overloaded)
        case .malformedProtobuf: self.init(.malformedProtobuf)
        case .malformedLogs:
            self.init(
                .malformedJSON,
                detail: "Send one ExportLogsServiceRequest as the protobuf JSON mapping has it.")
        case .tooManyRecords: self.init(.tooManyEvents)
        case .rule(let rule):
            let code = Self.code(of: rule)
            switch rule {
            // The only cause of their codes.
            case .text, .elements, .eventCount: self.init(code)
            default: self.init(code, detail: rule.detail)
            }
        }
    }

    /// What the writer could not store.
    package init(write failure: WriteFailure) {
        switch failure {
        case .storageFull: self.init(.storageFull)
        case .internalError: self.init(.internalError)
        case .overloaded: self.init(.overloaded)
        }
    }

    /// What HTTP itself refuses.
    package init(http refusal: RequestRefusal) {
        let code: ProblemCode
        switch refusal {
        case .headerTimeout, .bodyTimeout, .noRoom: code = .requestTimeout
        case .requestLineTooLong: code = .uriTooLong
        case .headerTooLarge, .tooManyFields: code = .headerTooLarge
        case .bodyTooLarge: code = .bodyTooLarge
        case .expectation: code = .expectationFailed
        case .unknownMethod: code = .notImplemented
        case .version: code = .versionNotSupported
        case .shuttingDown: code = .shuttingDown
        case .requestLine, .target, .lineEnd, .fieldName, .fieldValue, .host, .length,
            .lengthConflict,
            .transferCoding, .unknownCoding, .codingVersion, .chunk, .trailer, .truncated:
            code = .badRequest
        }
        self.init(code, detail: refusal.detail.description)
    }

    private static func code(of rule: BatchRule) -> ProblemCode {
        switch rule {
        case .text: .malformedJSON
        case .elements: .tooManyElements
        case .schema: .unsupportedSchema
        case .batchID, .sentAt, .sequence, .droppedEvents, .events: .invalidBatch
        case .resource, .resourceMember: .invalidResource
        case .deviceID: .invalidDeviceID
        case .eventCount: .tooManyEvents
        }
    }
}

extension Response {
    /// A problem as its answer.
    /// - Parameters:
    ///   - allow: the methods of a resource that has not the one that was asked for
    ///   - status: another than the code has
    static func problem(
        _ problem: Problem, allow: String? = nil, status: Int? = nil
    ) -> Response {
        let row = problem.code.row
        let status = status ?? row.status
        var writer = JSON.Writer()
        writer.beginObject()
        writer.name("type")
        writer.string("about:blank")
        writer.name("title")
        writer.string(row.title)
        writer.name("status")
        writer.integer(Int64(status))
        writer.name("code")
        writer.string(problem.code.rawValue)
        writer.name("detail")
        writer.string(problem.detail)
        writer.endObject()
        var response = Response(
            status: status, contentType: "application/problem+json", body: writer.bytes)
        if let seconds = problem.retryAfter {
            response.fields.append(HeaderField("Retry-After", String(seconds)))
        }
        switch problem.code {
        case .unsupportedMediaType:
            response.fields.append(
                HeaderField("Accept", "application/json, application/jose"))
        case .unsupportedEncoding:
            response.fields.append(HeaderField("Accept-Encoding", "gzip, aes128gcm"))
        case _ where row.status == 401:
            response.fields.append(HeaderField("WWW-Authenticate", "Bearer"))
        default: break
        }
        if let allow { response.fields.append(HeaderField("Allow", allow)) }
        return response
    }

    /// Text for a person or a probe.
    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
