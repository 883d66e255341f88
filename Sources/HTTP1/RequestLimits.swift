/// What a request may measure; counted while it is read, before memory is used for it.
package struct RequestLimits: Sendable, Equatable {
    /// Bytes of the request line without its end: 414 beyond (501 where the method alone is longer).
    package var requestLineBytes = 8 << 10
    /// Bytes of all field lines with their ends: 431 beyond. Trailers have the same limit again.
    package var headerBytes = 16 << 10
    /// Field lines: 431 beyond. Trailers have the same limit again.
    package var headerFields = 100
    /// Empty lines before a request line (RFC 9112 §2.2): 400 beyond.
    package var leadingEmptyLines = 4
    /// Bytes of chunk extensions in one body: 400 beyond.
    package var extensionBytes = 4 << 10
    /// How much of an unread body is read and dropped to keep the connection after an early answer.
    package var drainBytes = 64 << 10
    /// How much is read and dropped, after the last answer, so that the client can read it.
    package var lingerBytes = 8 << 20

    package init() {}
}

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
    /// From the client's end of sending to the first interim answer that probes whether it still reads, and between two
    /// of them, while an answer is awaited.
    package var presence: Int64 = 1_000_000_000

    package init() {}
}
