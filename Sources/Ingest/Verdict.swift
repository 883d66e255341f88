import Events

/// What a worker makes of a body.
package enum Verdict: Sendable {
    /// To be stored; its own `rejections` say which events are not.
    case accepted(AcceptedBatch)
    /// A legacy body of zero bytes: 200, and nothing to store.
    case empty
}
