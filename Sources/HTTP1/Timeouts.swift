/// How long things may take, in nanoseconds. Each is a total that no byte renews.
package struct Timeouts: Sendable, Equatable {
    /// From the first byte of a request to the end of its header: 408.
    package var header: Int64 = 10 * 1_000_000_000
    /// From the end of the header to the end of the body: 408.
    package var body: Int64 = 30 * 1_000_000_000
    /// From the start or the last answer to the first byte of the next request: closed.
    package var idle: Int64 = 75 * 1_000_000_000
    /// For writing an answer; in a streamed one for each further 64 KiB: closed.
    package var write: Int64 = 30 * 1_000_000_000
    /// For dropping what still comes after the last answer: closed.
    package var linger: Int64 = 5 * 1_000_000_000
    /// The same, at most, while the server stops.
    package var lastLinger: Int64 = 1_000_000_000

    package init() {}
}
