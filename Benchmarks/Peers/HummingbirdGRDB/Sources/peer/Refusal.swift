import Hummingbird

/// Why a batch is not taken; the statuses are those of docs/protocol.md, "Errors".
enum Refusal: String, Error {
    case unsupportedMediaType = "unsupported-media-type"
    case unsupportedEncoding = "unsupported-encoding"
    case unknownKey = "unknown-key"
    case undecodable, tooManyEvents = "too-many-events"
    case inflatedTooLarge = "inflated-too-large"
    case malformedJSON = "malformed-json"
    case unsupportedSchema = "unsupported-schema"
    case invalidBatch = "invalid-batch"
    case invalidResource = "invalid-resource"
    case invalidDeviceID = "invalid-device-id"
}

extension Refusal: HTTPResponseError {
    var status: HTTPResponse.Status {
        switch self {
        case .unsupportedMediaType, .unsupportedEncoding: .unsupportedMediaType
        case .unknownKey: .unauthorized
        case .undecodable, .malformedJSON: .badRequest
        case .inflatedTooLarge, .tooManyEvents: .contentTooLarge
        case .unsupportedSchema, .invalidBatch, .invalidResource, .invalidDeviceID:
            .unprocessableContent
        }
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        try HTTPError(status, message: rawValue).response(from: request, context: context)
    }
}
