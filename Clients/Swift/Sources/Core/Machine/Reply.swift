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
        /// `Location` as it stands.
        package var location: String?
        package var body: [UInt8]

        package init(
            status: Int, mediaType: String, retryAfter: String?, date: String?,
            location: String? = nil, body: [UInt8]
        ) {
            self.status = status
            self.mediaType = mediaType
            self.retryAfter = retryAfter
            self.date = date
            self.location = location
            self.body = body
        }

        /// What `Content-Type` says without its parameters, in lower case.
        package static func mediaType(of contentType: String) -> String {
            let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }
                .filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            let isUpper = UInt8(ascii: "A")...UInt8(ascii: "Z")
            return String(
                decoding: type.map { isUpper.contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        }

        /// How long `Retry-After` asks to wait, in milliseconds; nil where it asks nothing.
        ///
        /// - Parameter now: The device's clock, ms since 1970, for want of `Date`.
        package func asked(at now: Int64) -> Int64? {
            RetryAfter.wait(retryAfter, date: date, now: now)
        }
    }
}
