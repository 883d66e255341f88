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
