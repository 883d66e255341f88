import Curl

/// Posts batches, one attempt each: seals, sends and judges the answer. Made and used on one thread.
package final class BatchPoster {
    private let client: HTTPClient
    private let sealer: Sealer
    private let isDryRun: Bool

    /// What came of an attempt.
    package struct Outcome: Sendable {
        package var answer: Answer
        /// Milliseconds for which the server asks to be left alone.
        package var asked: Int64?
    }

    /// Posts through `client` what `sealer` makes.
    ///
    /// - Parameter isDryRun: Whether batches are to be judged and not stored.
    package init(_ client: HTTPClient, _ sealer: Sealer, isDryRun: Bool = false) {
        self.client = client
        self.sealer = sealer
        self.isDryRun = isDryRun
    }

    /// Posts `text`, stamped with `moment` (milliseconds), and waits for the answer.
    package func post(_ text: WrittenBatch, at moment: Int64) -> Outcome {
        post(text.stamped(moment), expecting: text.expectedID(sealer.profile), at: moment)
    }

    /// Posts these bytes and no others.
    package func post(_ bytes: [UInt8], expecting id: ExpectedBatchID, at moment: Int64) -> Outcome
    {
        do throws(HTTPFailure) {
            let response = try client.send(sealer.request(for: bytes, isDryRun: isDryRun)).response
            return Outcome(
                answer: .judge(response, expecting: id, isDryRun: isDryRun),
                asked: response.asked(at: moment))
        } catch {
            return Outcome(answer: .missing(error), asked: nil)
        }
    }
}
