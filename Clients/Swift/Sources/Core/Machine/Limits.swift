/// The measures of a client; an app chooses the first two, tests and simulations the rest.
package struct Limits: Sendable {
    /// Bytes of waiting events at most.
    package var journal = 5 << 20
    /// Milliseconds in the background after which another session begins.
    package var sessionTimeout: Int64 = 1_800_000
    package var backoff = Backoff()
    /// Milliseconds that an upload in the background has.
    package var budget: Int64 = 5000
    /// Milliseconds that an attempt has.
    package var attempt: Int64 = 30_000
    /// Milliseconds that an event waits in the foreground.
    package var interval: Int64 = 300_000
    /// Bytes that wait in the foreground.
    package var threshold = 32_768
    /// Whether events are judged and not stored.
    package var isDebug = false

    package init() {}

    /// Milliseconds that an event waits in the foreground, in debug.
    package static let debugInterval: Int64 = 1000
}
