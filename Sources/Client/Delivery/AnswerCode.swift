/// A code with which a server refuses a batch, the status it comes with, and what a client does
/// about it: the table of docs/protocol.md, "The answer", as values.
struct AnswerCode: Sendable, Equatable {
    /// What a refusal asks of a client.
    enum Treatment: Sendable, Equatable {
        /// The batch will never be accepted: drop it and report that.
        case drop
        /// The server has to change first: keep the batch for an hour or more.
        case keep
        /// The batch is too large: send it as several.
        case split
        /// It is a matter of time.
        case retry
        /// It is a matter of time, or of a network too slow for a body of this size.
        case retrySmaller
    }

    let status: Int
    let name: String
    let treatment: Treatment

    /// All codes. A code that the contract does not have (what HTTP itself refuses) means
    /// the request or of the way and not of the batch: kept, since a dropped batch is gone for ever.
    static let all: [AnswerCode] = [
        AnswerCode(400, "undecodable", .drop),
        AnswerCode(400, "malformed-json", .drop),
        AnswerCode(400, "bad-request", .keep),
        AnswerCode(401, "unauthorized", .keep),
        AnswerCode(401, "unknown-key", .keep),
        AnswerCode(403, "revoked-key", .keep),
        AnswerCode(403, "forbidden", .keep),
        AnswerCode(403, "plain-not-allowed", .keep),
        AnswerCode(404, "unknown-app", .keep),
        AnswerCode(404, "not-found", .keep),
        AnswerCode(405, "method-not-allowed", .keep),
        AnswerCode(408, "request-timeout", .retrySmaller),
        AnswerCode(413, "body-too-large", .split),
        AnswerCode(413, "inflated-too-large", .split),
        AnswerCode(413, "too-many-events", .split),
        AnswerCode(414, "uri-too-long", .keep),
        AnswerCode(415, "unsupported-media-type", .drop),
        AnswerCode(415, "unsupported-encoding", .drop),
        AnswerCode(417, "expectation-failed", .keep),
        AnswerCode(422, "unsupported-schema", .drop),
        AnswerCode(422, "invalid-batch", .drop),
        AnswerCode(422, "invalid-resource", .drop),
        AnswerCode(422, "invalid-device-id", .drop),
        AnswerCode(429, "rate-limited", .retry),
        AnswerCode(431, "header-too-large", .keep),
        AnswerCode(500, "internal-error", .retry),
        AnswerCode(501, "not-implemented", .keep),
        AnswerCode(503, "overloaded", .retry),
        AnswerCode(503, "shutting-down", .retry),
        AnswerCode(503, "clock-unset", .retry),
        AnswerCode(505, "version-not-supported", .keep),
        AnswerCode(507, "storage-full", .retry),
    ]

    private init(_ status: Int, _ name: String, _ treatment: Treatment) {
        self.status = status
        self.name = name
        self.treatment = treatment
    }

    /// The code of this name, if it comes with this status: anything else is not our server's word.
    static func find(status: Int, name: String) -> AnswerCode? {
        all.first { $0.status == status && $0.name == name }
    }
}
