import CCurl

/// One connection that is kept alive, requests one after the other. Made and used on one thread; closed
/// with the object.
package final class HTTPClient {
    /// How long a server may take for an answer, and how much the answer may hold.
    package struct AnswerLimits: Sendable {
        /// Milliseconds until the connection is made.
        package var connectTimeout = 10_000
        /// Milliseconds for a whole request and its answer; 0: as long as it takes.
        package var totalTimeout = 60_000
        /// Bytes an answer's body may have.
        package var bodyLimit = 1 << 20
        /// The answer has to say where its body ends: one that ends with the connection may be cut.
        package var needsLength = false

        /// The limits that the members have of themselves.
        package init() {}
    }

    /// Whom it asks.
    package let address: ServerAddress
    private let transfer: HTTPTransfer

    /// Prepares a client for the server at `address`; nothing is connected yet.
    ///
    /// - Throws: `HTTPFailure` of kind `library` when libcurl cannot be set up.
    package init(_ address: ServerAddress, limits: AnswerLimits = AnswerLimits())
        throws(HTTPFailure)
    {
        self.address = address
        transfer = try HTTPTransfer(address, limits: limits)
    }

    /// Sends one request and waits for its answer.
    ///
    /// A kept connection that the server has closed meanwhile is opened anew by libcurl.
    ///
    /// - Parameters:
    ///   - bodyLimit: bytes the answer's body may have, where the client's limit is not it.
    ///   - totalTimeout: milliseconds for it, where the client's limit is not it.
    /// - Throws: `HTTPFailure` when there is no whole answer. Every status is an answer.
    package func send(
        _ request: HTTPRequest, bodyLimit: Int? = nil, totalTimeout: Int? = nil
    ) throws(HTTPFailure) -> HTTPAnswer {
        try transfer.begin(request, bodyLimit: bodyLimit, totalTimeout: totalTimeout)
        return try transfer.end(PipeSignal.withheld { curl_easy_perform(transfer.handle) })
    }
}
