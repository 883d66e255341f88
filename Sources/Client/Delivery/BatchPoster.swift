/// Posts batches, one attempt each: seals, sends and judges the answer. Made and used on one thread.
package final class BatchPoster {
    private let client: HTTPClient
    private let sealer: Sealer
    private let isDryRun: Bool

    /// Posts through `client` what `sealer` makes.
    ///
    /// - Parameter isDryRun: Whether batches are to be judged and not stored.
    package init(_ client: HTTPClient, _ sealer: Sealer, isDryRun: Bool = false) {
        self.client = client
        self.sealer = sealer
        self.isDryRun = isDryRun
    }

    /// Posts `text`, stamped with `moment` (milliseconds), and waits for the answer.
    package func post(_ text: BatchText, at moment: Int64) -> Answer {
        post(text.stamped(moment), expecting: text.expectedID(sealer.profile))
    }

    /// Posts these bytes and no others.
    package func post(_ bytes: [UInt8], expecting id: ExpectedBatchID) -> Answer {
        do throws(HTTPFailure) {
            let answer = try client.send(sealer.request(for: bytes, isDryRun: isDryRun))
            return .judge(answer, expecting: id)
        } catch {
            return .missing(error)
        }
    }
}
