/// A code with which a server refuses a batch, the status it comes with, and what a client does
/// about it: the table of client.md §5, as values.
package struct AnswerCode: Sendable, Equatable {
    /// What a refusal asks of a client.
    package enum Treatment: Sendable, Equatable {
        /// The batch will never be accepted: drop it and report that.
        case drop
        /// The server has to change first: keep the batch for an hour or more.
        case hold
        /// The batch is too large: send it as several.
        case split
        /// It is a matter of time.
        case retry
        /// It is a matter of time, or of a network too slow for a body of this size.
        case retrySmaller
    }

    package let status: Int
    package let name: String
    package let treatment: Treatment

    /// All codes. What HTTP itself refuses says something of the request or the way, and not of the batch:
    /// that is kept, since a dropped batch is gone for ever.
    package static let all: [AnswerCode] = [
        AnswerCode(400, "undecodable", .drop),
        AnswerCode(400, "malformed-json", .drop),
        AnswerCode(400, "bad-request", .hold),
        AnswerCode(401, "unauthorized", .hold),
        AnswerCode(401, "unknown-key", .hold),
        AnswerCode(403, "revoked-key", .hold),
        AnswerCode(403, "forbidden", .hold),
        AnswerCode(403, "plain-not-allowed", .hold),
        AnswerCode(404, "unknown-app", .hold),
        AnswerCode(404, "not-found", .hold),
        AnswerCode(405, "method-not-allowed", .hold),
        AnswerCode(408, "request-timeout", .retrySmaller),
        AnswerCode(413, "body-too-large", .split),
        AnswerCode(413, "inflated-too-large", .split),
        AnswerCode(413, "too-many-events", .split),
        AnswerCode(413, "too-many-elements", .split),
        AnswerCode(414, "uri-too-long", .hold),
        AnswerCode(415, "unsupported-media-type", .drop),
        AnswerCode(415, "unsupported-encoding", .drop),
        AnswerCode(417, "expectation-failed", .hold),
        AnswerCode(422, "unsupported-schema", .drop),
        AnswerCode(422, "invalid-batch", .drop),
        AnswerCode(422, "invalid-resource", .drop),
        AnswerCode(422, "invalid-device-id", .drop),
        AnswerCode(429, "rate-limited", .retry),
        AnswerCode(431, "header-too-large", .hold),
        AnswerCode(500, "internal-error", .retry),
        AnswerCode(501, "not-implemented", .hold),
        AnswerCode(503, "overloaded", .retry),
        AnswerCode(503, "shutting-down", .retry),
        AnswerCode(503, "clock-unset", .retry),
        AnswerCode(505, "version-not-supported", .hold),
        AnswerCode(507, "storage-full", .retry),
    ]

    private init(_ status: Int, _ name: String, _ treatment: Treatment) {
        self.status = status
        self.name = name
        self.treatment = treatment
    }

    /// The code of this name, if it comes with this status: anything else is not our server's word.
    package static func find(status: Int, name: String) -> AnswerCode? {
        all.first { $0.status == status && $0.name == name }
    }
}
