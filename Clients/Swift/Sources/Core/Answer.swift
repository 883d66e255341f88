import JSON

/// What an answer to a batch means (client.md §5).
package enum Answer: Sendable, Equatable {
    /// The server has it.
    case stored(rejected: Int64, verdicts: [Verdict])
    /// It is refused for good.
    case refused(code: String, detail: String)
    /// It is too large, or too large for the network.
    case tooLarge(code: String)
    /// 408: too large for the network, if no earlier attempt can have been stored.
    case tookTooLong
    /// Somebody has to mend something first.
    case held(code: String)
    /// It is a matter of time; the code, or what was wrong with the answer.
    case later(String)

    /// A rejected event.
    package struct Verdict: Sendable, Equatable {
        package let index: Int64
        package let code: String
        package let detail: String
    }

    /// Bytes of an answer at most.
    package static let maxLength = 65_536

    /// Judges an answer. Networks answer for servers they hide: success is only a 200 of JSON that names
    /// the batch, a refusal only a problem with a code under its status.
    ///
    /// - Parameters:
    ///   - mediaType: `Content-Type` without its parameters, in lower case.
    ///   - isDebug: Whether a batch that was judged and not stored is what was asked for.
    package static func judge(
        status: Int, mediaType: String, body: [UInt8], batchID: String, isDebug: Bool
    ) -> Answer {
        guard body.count <= maxLength else { return .later("an answer of more than 64 KiB") }
        if status == 200 {
            return success(mediaType, body, batchID, isDebug)
                ?? .later("status 200, but not the server's answer to this batch")
        }
        guard mediaType == "application/problem+json", let problem = AnswerBody(body),
            let name = problem.code, let code = AnswerCode.find(status: status, name: name)
        else { return .later("status \(status) without a code of the protocol") }
        switch code.treatment {
        case .drop: return .refused(code: name, detail: problem.detail ?? "")
        case .split: return .tooLarge(code: name)
        case .retrySmaller: return .tookTooLong
        case .hold: return .held(code: name)
        case .retry: return .later("status \(status) \(name)")
        }
    }

    private static func success(
        _ mediaType: String, _ body: [UInt8], _ batchID: String, _ isDebug: Bool
    ) -> Answer? {
        guard mediaType == "application/json", let answer = AnswerBody(body),
            answer.batchID == batchID, answer.accepted != nil, let rejected = answer.rejected,
            !answer.isDryRun || isDebug
        else { return nil }
        return .stored(rejected: rejected, verdicts: answer.rejections)
    }
}
