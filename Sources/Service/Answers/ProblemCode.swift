/// Everything that can be wrong with a request, by the name under which clients know it
/// (docs/protocol.md, The answer; docs/reports.md, Asking). One table gives the status, the words
/// and when to try again.
package enum ProblemCode: String, CaseIterable, Sendable {
    // What HTTP itself refuses.
    case badRequest = "bad-request"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case requestTimeout = "request-timeout"
    case uriTooLong = "uri-too-long"
    case headerTooLarge = "header-too-large"
    case expectationFailed = "expectation-failed"
    case notImplemented = "not-implemented"
    case versionNotSupported = "version-not-supported"
    // Batches.
    case undecodable
    case malformedJSON = "malformed-json"
    case malformedProtobuf = "malformed-protobuf"
    case unauthorized
    case unknownKey = "unknown-key"
    case revokedKey = "revoked-key"
    case forbidden
    case plainNotAllowed = "plain-not-allowed"
    case unknownApp = "unknown-app"
    case bodyTooLarge = "body-too-large"
    case inflatedTooLarge = "inflated-too-large"
    case tooManyEvents = "too-many-events"
    case tooManyElements = "too-many-elements"
    case unsupportedMediaType = "unsupported-media-type"
    case unsupportedEncoding = "unsupported-encoding"
    case unsupportedSchema = "unsupported-schema"
    case invalidBatch = "invalid-batch"
    case invalidResource = "invalid-resource"
    case invalidDeviceID = "invalid-device-id"
    case rateLimited = "rate-limited"
    case internalError = "internal-error"
    case overloaded
    case shuttingDown = "shutting-down"
    case clockUnset = "clock-unset"
    case storageFull = "storage-full"
    // Reports.
    case unknownReport = "unknown-report"
    case unknownDevice = "unknown-device"
    case missingParameter = "missing-parameter"
    case unknownParameter = "unknown-parameter"
    case invalidParameter = "invalid-parameter"
    case timeZoneGone = "time-zone-gone"
    case reportTimeout = "report-timeout"
    case reportTooLarge = "report-too-large"
    case engineUnavailable = "engine-unavailable"

    /// Status, title, what to do (one sentence that repeats nothing of the request), and seconds
    /// for `Retry-After` where the client should come again.
    package var row: (status: Int, title: String, detail: String, retryAfter: Int?) {
        switch self {
        case .badRequest:
            (400, "Bad Request", "Send a request that follows RFC 9112.", nil)
        case .notFound:
            (404, "Not Found", "Check the path.", nil)
        case .methodNotAllowed:
            (405, "Method Not Allowed", "Use a method that the Allow field names.", nil)
        case .requestTimeout:
            (408, "Request Timeout", "Send the whole request in time; use smaller bodies.", nil)
        case .uriTooLong:
            (414, "URI Too Long", "Send a shorter request line.", nil)
        case .headerTooLarge:
            (431, "Request Header Fields Too Large", "Send fewer or shorter header fields.", nil)
        case .expectationFailed:
            (417, "Expectation Failed", "Expect nothing but 100-continue.", nil)
        case .notImplemented:
            (501, "Not Implemented", "Use a method that HTTP defines.", nil)
        case .versionNotSupported:
            (505, "HTTP Version Not Supported", "Use HTTP/1.1.", nil)
        case .undecodable:
            (400, "Bad Request", "Check the key, the sealing and the compression of the body.", nil)
        case .malformedJSON:
            (
                400, "Bad Request",
                "Send one I-JSON object (RFC 7493) of depth 16 at most, and nothing behind it.", nil
            )
        case .malformedProtobuf:
            (
                400, "Bad Request",
                "Send one ExportLogsServiceRequest in the encoding that Content-Type names.", nil
            )
        case .unauthorized:
            (401, "Unauthorized", "Send a valid token as Authorization: Bearer.", nil)
        case .unknownKey:
            (401, "Unauthorized", "Use a key id of this app.", nil)
        case .revokedKey:
            (403, "Forbidden", "Use a key that has not been revoked.", nil)
        case .forbidden:
            (403, "Forbidden", "Use a token of this app and of the right scope.", nil)
        case .plainNotAllowed:
            (403, "Forbidden", "Seal the body, or let the operator allow plain for this app.", nil)
        case .unknownApp:
            (404, "Not Found", "Use the id of an app that exists.", nil)
        case .bodyTooLarge:
            (413, "Content Too Large", "Split the batch into smaller bodies.", nil)
        case .inflatedTooLarge:
            (413, "Content Too Large", "Split the batch: it inflates to too much.", nil)
        case .tooManyEvents:
            (413, "Content Too Large", "Split the batch: it has too many events.", nil)
        case .tooManyElements:
            (413, "Content Too Large", "Split the batch: it has too many values and names.", nil)
        case .unsupportedMediaType:
            (415, "Unsupported Media Type", "Send application/json or application/jose.", nil)
        case .unsupportedEncoding:
            (
                415, "Unsupported Media Type",
                "Use a Content-Encoding that goes with this Content-Type.", nil
            )
        case .unsupportedSchema:
            (422, "Unprocessable Content", "Send schema 1 or leave it out.", nil)
        case .invalidBatch:
            (422, "Unprocessable Content", "Correct the batch's members.", nil)
        case .invalidResource:
            (422, "Unprocessable Content", "Correct the members of resource.", nil)
        case .invalidDeviceID:
            (
                422, "Unprocessable Content",
                "Give resource a string of 1 to 256 bytes as app.installation.id.", nil
            )
        case .rateLimited:
            (
                429, "Too Many Requests",
                "Post less often: put more events into a batch, up to 256 KiB of JSON.", 1
            )
        case .internalError:
            (500, "Internal Server Error", "Try again later.", nil)
        case .overloaded:
            (503, "Service Unavailable", "Try again in a moment.", 1)
        case .shuttingDown:
            (503, "Service Unavailable", "Try again when the server is back.", 5)
        case .clockUnset:
            (503, "Service Unavailable", "Try again when the server's clock is right.", 60)
        case .storageFull:
            (507, "Insufficient Storage", "Try again when the server has room.", 60)
        case .unknownReport:
            (404, "Not Found", "Ask for a report that GET /report lists.", nil)
        case .unknownDevice:
            (404, "Not Found", "Use the hash of a device of this app.", nil)
        case .missingParameter:
            (400, "Bad Request", "Give every required parameter.", nil)
        case .unknownParameter:
            (400, "Bad Request", "Give only parameters that this report has.", nil)
        case .invalidParameter:
            (400, "Bad Request", "Correct the parameter.", nil)
        case .timeZoneGone:
            (409, "Conflict", "Give tz, or have the operator give the app another time zone.", nil)
        case .reportTimeout:
            (503, "Service Unavailable", "Ask for a shorter range or try again later.", 10)
        case .reportTooLarge:
            (
                503, "Service Unavailable",
                "Narrow the question: a shorter range, a filter, a smaller limit, no interval.", nil
            )
        case .engineUnavailable:
            (503, "Service Unavailable", "Try again when the engine answers.", 10)
        }
    }

    package var status: Int { row.status }

    /// Whether a batch that is refused with it is counted (docs/reports.md, `rejects`): what is wrong with the
    /// batch, and not what comes right by itself when it is sent again.
    var isCounted: Bool { (400..<500).contains(status) && status != 408 && status != 429 }
}
