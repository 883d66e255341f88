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
    ///
    /// - Parameter time: Milliseconds after which it is given up, a minute at most.
    package func post(_ text: WrittenBatch, at moment: Int64, within time: Int64) -> Outcome {
        let request = sealer.request(for: text.stamped(moment), isDryRun: isDryRun)
        do throws(HTTPFailure) {
            let response = try client.send(
                request, totalTimeout: Int(min(time, Self.maxTime))
            ).response
            let answer = Answer.judge(
                response, expecting: text.expectedID(sealer.profile), isDryRun: isDryRun)
            return Outcome(answer: answer, asked: response.asked(at: moment))
        } catch {
            return Outcome(answer: .missing(error), asked: nil)
        }
    }

    private static let maxTime: Int64 = 60_000
}
