/// What the answer to a batch means (docs/protocol.md, "The answer").
package enum Answer: Sendable, Equatable {
    /// It is on the server's disk: the batch may be forgotten.
    case accepted(Receipt)
    /// The server rejects it and names the reason.
    case refused(Refusal)
    /// Not an answer of a sojourn server: a proxy answers, or nothing does.
    /// As good as 503.
    case unusable(Unusable)

    /// An account of a stored batch.
    package struct Receipt: Sendable, Equatable {
        /// Absent (`null`) only for an empty batch of a `legacy` client.
        package var batchID: String?
        /// Whether the server had the batch already; the counts are then those of its first answer.
        package var isDuplicate = false
        /// Whether it was judged only and not stored.
        package var isDryRun = false
        /// Events that are stored.
        package var accepted: Int64 = 0
        /// Events that are not.
        package var rejected: Int64 = 0
        /// The first rejected events, at most 20 of them.
        package var rejections: [RejectedEvent] = []
    }

    /// An event that was not taken, while others of its batch were.
    package struct RejectedEvent: Sendable, Equatable {
        /// Its index in the batch's `events`, from 0.
        package var index: Int64
        /// Which rule it breaks (docs/protocol.md, "Events").
        package var code: String
        /// What to do, in the server's words.
        package var detail: String
    }

    /// A problem (RFC 9457) with a code of the contract.
    package struct Refusal: Sendable, Equatable {
        /// The status code.
        package var status: Int
        /// A code of docs/protocol.md, "The answer".
        package var code: String
        /// What to do, in the server's words.
        package var detail: String
        /// Seconds for which the server asks to be left alone.
        package var retryAfter: Int?
    }

    /// An answer that means nothing.
    package struct Unusable: Sendable, Equatable {
        /// The status, if there was an answer.
        package var status: Int?
        /// What was wrong with it, as a sentence's end.
        package var reason: String
        /// Seconds to wait, as the answer asks.
        package var retryAfter: Int?
    }

    /// No answer at all.
    package static func missing(_ failure: HTTPFailure) -> Answer {
        .unusable(Unusable(status: nil, reason: failure.description, retryAfter: nil))
    }

    /// What the server did, as the end of a sentence that begins with its name.
    package var complaint: String {
        switch self {
        case .accepted: "took it"
        case .refused(let refusal):
            "refuses a batch: \(refusal.status) \(refusal.code): \(refusal.detail)"
        case .unusable(let unusable): "does not take a batch: \(unusable.reason)"
        }
    }
}

extension Answer {
    /// Judges what came back for a batch (docs/protocol.md, "The answer"): networks answer for servers
    /// they hide, so success is only a 200 with `application/json` and the batch's own id, and a
    /// refusal only a problem with a code of the contract and the status that goes with it.
    package static func judge(_ answer: HTTPAnswer, expecting id: ExpectedBatchID) -> Answer {
        if answer.status == 200 { return success(answer, id) }
        guard answer.mediaType == "application/problem+json",
            let problem = AnswerValue(answer.body), let code = problem["code"]?.string,
            AnswerCode.find(status: answer.status, name: code) != nil
        else {
            return unusable(answer, "status \(answer.status) without a code of the protocol")
        }
        return .refused(
            Refusal(
                status: answer.status, code: code, detail: problem["detail"]?.string ?? "",
                retryAfter: answer.retryAfter))
    }

    private static func success(_ answer: HTTPAnswer, _ id: ExpectedBatchID) -> Answer {
        guard answer.mediaType == "application/json", let body = AnswerValue(answer.body),
            let accepted = body["accepted"]?.integer, let rejected = body["rejected"]?.integer
        else { return unusable(answer, "status 200, but not the answer of a sojourn server") }
        var receipt = Receipt(
            isDuplicate: body["duplicate"]?.bool ?? false, isDryRun: body["dry_run"]?.bool ?? false,
            accepted: accepted, rejected: rejected, rejections: rejections(body["rejections"]))
        switch (id, body["batch_id"]) {
        case (.id(let own), .string(let named)) where own == named: receipt.batchID = own
        case (.null, .null): break
        default: return unusable(answer, "status 200, but for another batch")
        }
        return .accepted(receipt)
    }

    private static func rejections(_ list: AnswerValue?) -> [RejectedEvent] {
        guard case .array(let elements) = list else { return [] }
        return elements.compactMap { element in
            guard let index = element["index"]?.integer, let code = element["code"]?.string
            else { return nil }
            return RejectedEvent(
                index: index, code: code, detail: element["detail"]?.string ?? "")
        }
    }

    private static func unusable(_ answer: HTTPAnswer, _ reason: String) -> Answer {
        .unusable(
            Unusable(status: answer.status, reason: reason, retryAfter: answer.retryAfter))
    }
}

/// Which `batch_id` an answer has to name to be believed.
package enum ExpectedBatchID: Sendable, Equatable {
    case id(String)
    /// `null`: the empty batch of a `legacy` client.
    case null
    /// The batch has no id that can be read: nothing is believed.
    case unknown
}
