/// An answer, before it is encoded.
package struct Response: Sendable {
    package var status: Int
    /// Further fields; `Date`, `Content-Type`, `Content-Length`, `Transfer-Encoding` and `Connection`
    /// are written by the encoder.
    package var fields: [HeaderField]
    package var contentType: StaticString?
    package var body: [UInt8]
    /// The body in place of `body`, if its length is not known beforehand.
    package var stream: (any BodySource)?
    /// Ends the connection after this answer.
    package var closes: Bool
    /// Kept until the answer has been written, or its connection has ended; nil for none.
    package var hold: (any AnyObject & Sendable)?

    package init(
        status: Int, contentType: StaticString? = nil, body: [UInt8] = [],
        fields: [HeaderField] = [], stream: (any BodySource)? = nil, closes: Bool = false
    ) {
        self.status = status
        self.fields = fields
        self.contentType = contentType
        self.body = body
        self.stream = stream
        self.closes = closes
    }
}
