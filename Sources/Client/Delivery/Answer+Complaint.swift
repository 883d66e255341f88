import Curl

extension Answer {
    /// No answer, since the request has failed.
    package static func missing(_ failure: HTTPFailure) -> Answer {
        .unusable(Unusable(status: nil, reason: failure.description))
    }

    /// Whether it is the 413 of something on the way.
    var isTooLarge: Bool {
        if case .unusable(let unusable) = self { unusable.isTooLarge } else { false }
    }

    /// What the server did, as the end of a sentence that begins with its name.
    package var complaint: String {
        switch self {
        case .stored: "took it"
        case .refused(let refusal):
            "refuses a batch: \(refusal.code.status) \(refusal.code.name): \(refusal.detail)"
        case .unusable(let unusable): "does not take a batch: \(unusable.reason)"
        }
    }
}
