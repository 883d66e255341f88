/// What came back for a request.
package enum Reply: Sendable, Equatable {
    case answer(Response)
    /// No answer, or one that was cut short or too long; why, for the log.
    case failure(String)

    /// As much of an answer as a client looks at.
    package struct Response: Sendable, Equatable {
        package var status: Int
        /// `Content-Type` without its parameters, in lower case; empty for none.
        package var mediaType: String
        /// `Retry-After` as it stands.
        package var retryAfter: String?
        /// `Date` as it stands.
        package var date: String?
        package var body: [UInt8]

        package init(
            status: Int, mediaType: String, retryAfter: String?, date: String?, body: [UInt8]
        ) {
            self.status = status
            self.mediaType = mediaType
            self.retryAfter = retryAfter
            self.date = date
            self.body = body
        }
    }
}
