/// How an answer has to be put for the request that it answers.
package struct AnswerForm: Sendable, Equatable {
    /// The end of the body of a streamed answer.
    package enum StreamEnd: Sendable, Equatable {
        /// Chunks, and a last one of length zero (HTTP/1.1).
        case chunked
        /// The end of the connection (HTTP/1.0).
        case connection
    }

    /// The version of the request; answers say HTTP/1.1 to both (RFC 9110 §6.2).
    package var version: Version
    /// `true` for HEAD: the header of a GET without its body.
    package var isHeaderOnly: Bool
    /// `false` if the connection ends after this answer.
    package var keepsAlive: Bool

    package init(version: Version, isHeaderOnly: Bool, keepsAlive: Bool) {
        self.version = version
        self.isHeaderOnly = isHeaderOnly
        self.keepsAlive = keepsAlive
    }

    /// How a streamed body ends.
    package var streamEnd: StreamEnd { version == .http11 ? .chunked : .connection }
}
