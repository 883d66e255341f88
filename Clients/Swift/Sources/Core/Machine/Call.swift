/// What an app calls. Those that call back do so once, from the machine's thread; where a call is dropped
/// before it is taken, from whichever drops it.
package enum Call: Sendable {
    /// - `isOwn`: whether the app chose the name.
    case event(name: String, attributes: [String: Value], isOwn: Bool)
    /// - `then`: whether it is the first time on this installation.
    case completed(content: String, then: @Sendable (Bool) -> Void)
    case foreground
    /// - `then`: when the upload is over, its budget at the latest.
    case background(then: @Sendable () -> Void)
    /// - `then`: when all that was called is on the disk.
    case terminate(then: @Sendable () -> Void)
    case enable(Bool, then: @Sendable () -> Void)
    case forget(then: @Sendable () -> Void)
    /// - `then`: when all calls before it are appended.
    case sync(then: @Sendable () -> Void)

    /// Whether it records something, and is bounded.
    package var isRecord: Bool {
        switch self {
        case .event, .completed: true
        default: false
        }
    }

    /// Answers the callback of a record that is dropped.
    package func refuse() {
        if case .completed(_, let then) = self { then(false) }
    }

    /// Takes out the callback, so that it can be called before the call is carried out.
    ///
    /// - Parameter isStuck: Whether the queue does not know when it can carry calls out. Otherwise only callbacks for
    ///   an upload or the end of the process are taken out.
    /// - Returns: The callback; nil without one.
    package mutating func release(isStuck: Bool) -> (@Sendable () -> Void)? {
        switch self {
        case .background(let then):
            self = .background(then: {})
            return then
        case .terminate(let then):
            self = .terminate(then: {})
            return then
        case .completed(let content, let then) where isStuck:
            self = .completed(content: content, then: { _ in })
            return { then(false) }
        case .enable(let isEnabled, let then) where isStuck:
            self = .enable(isEnabled, then: {})
            return then
        case .forget(let then) where isStuck:
            self = .forget(then: {})
            return then
        case .sync(let then) where isStuck:
            self = .sync(then: {})
            return then
        default: return nil
        }
    }
}

/// A call, and when it was made.
package struct TimedCall: Sendable {
    package var call: Call
    /// Nanoseconds of the monotonic clock.
    package var moment: Int64

    package init(_ call: Call, at moment: Int64) {
        self.call = call
        self.moment = moment
    }
}
