import JSON

/// What an answer to a batch means (client.md §5).
package enum Answer: Sendable, Equatable {
    /// The server has it.
    case stored(Receipt)
    /// The server refuses it under a code of the contract; the code says what a client does about it.
    case refused(Refusal)
    /// Not the server's word: a network answers for it, or nothing does. It is a matter of time.
    case unusable(Unusable)

    /// The account of a stored batch.
    package struct Receipt: Sendable, Equatable {
        /// Absent (`null`) only for an empty batch of a `legacy` client.
        package var batchID: String?
        /// Whether the server had the batch already; the counts are then those of its first answer.
        package var isDuplicate = false
        /// Whether it was judged only and not stored.
        package var isDryRun = false
        /// Events that are stored.
        package var accepted: Int64
        /// Events that are not.
        package var rejected: Int64
        /// The first rejected events, as many as the server names.
        package var verdicts: [Verdict] = []
    }

    /// A rejected event.
    package struct Verdict: Sendable, Equatable {
        /// Its index in the batch's `events`, from 0.
        package var index: Int64
        /// Which rule it breaks (wire.md §2.1).
        package var code: String
        /// What to do, in the server's words.
        package var detail: String
    }

    /// A problem (RFC 9457) with a code of the contract under its status.
    package struct Refusal: Sendable, Equatable {
        package var code: AnswerCode
        /// What to do, in the server's words.
        package var detail: String
    }

    /// An answer that means nothing.
    package struct Unusable: Sendable, Equatable {
        /// The status, if there was an answer.
        package var status: Int?
        /// What was wrong with it, as a sentence's end.
        package var reason: String
        /// Whether something on the way takes no body of this size: a 413 without a code.
        package var isTooLarge = false
    }

    /// Bytes of an answer at most.
    package static let maxLength = 65_536

    /// Judges an answer. Networks answer for servers they hide: success is only a 200 of JSON that names
    /// the batch, a refusal only a problem with a code under its status.
    ///
    /// - Parameter isDryRun: Whether a batch that was judged and not stored is what was asked for.
    package static func judge(
        _ response: Reply.Response, expecting id: ExpectedBatchID, isDryRun: Bool
    ) -> Answer {
        let status = response.status
        func unusable(_ reason: String) -> Answer {
            .unusable(Unusable(status: status, reason: reason))
        }
        guard response.body.count <= maxLength else {
            return unusable("an answer of more than 64 KiB")
        }
        if status == 200 {
            guard response.mediaType == "application/json",
                let receipt = AnswerBody(response.body)?.receipt,
                !receipt.isDryRun || isDryRun
            else { return unusable("status 200, but not the answer of a sojourn server") }
            switch (id, receipt.batchID) {
            case (.id(let own), let named?) where own == named: return .stored(receipt)
            case (.null, nil): return .stored(receipt)
            default: return unusable("status 200, but for another batch")
            }
        }
        if (300..<400).contains(status), let location = response.location {
            let target = Redirect.target(location) ?? "what is no address"
            return unusable("status \(status), a redirect to \(target), which is not followed")
        }
        return refused(response)
    }

    /// A problem with a code under its status, or what is said in its place.
    private static func refused(_ response: Reply.Response) -> Answer {
        let status = response.status
        var answer = Unusable(
            status: status, reason: "status \(status) without a code of the protocol")
        if response.mediaType == "application/problem+json",
            let problem = AnswerBody(response.body), let name = problem.code,
            AnswerCode.all.contains(where: { $0.name == name })
        {
            if let code = AnswerCode.find(status: status, name: name) {
                return .refused(Refusal(code: code, detail: problem.detail ?? ""))
            }
            answer.reason = "status \(status) with a code of another status"
        } else if status == 413 {
            answer.reason = "status 413 without a code: a proxy on the way lets too little through"
            answer.isTooLarge = true
        }
        return .unusable(answer)
    }
}
