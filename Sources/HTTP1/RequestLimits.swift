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
