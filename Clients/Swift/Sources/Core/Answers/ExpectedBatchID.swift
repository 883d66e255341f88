/// Which `batch_id` an answer has to name to be believed.
package enum ExpectedBatchID: Sendable, Equatable {
    case id(String)
    /// `null`: the empty batch of a `legacy` client.
    case null
    /// The batch has no id that can be read: nothing is believed.
    case unknown
}
