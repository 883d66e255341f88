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

/// A field of an answer. Names are words of the program; in values, bytes that could end the line
/// are written as spaces, so that no value can split an answer.
package struct HeaderField: Sendable {
    package var name: StaticString
    package var value: String

    package init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What a `BodySource` has to say when it is asked for more.
package enum BodyStep: Sendable {
    /// Something was appended; ask again when there is room.
    case more
    /// Nothing is there yet; the source will call the `wake` it was given.
    case later
    /// That was all (what was appended by this call is still sent).
    case end
    /// The source broke; the connection is reset, so that no client takes what came for the whole.
    case failed
}

/// The body of a streamed answer. It is asked for more when the output has room, so that what waits
/// for a slow client stays bounded.
package protocol BodySource: AnyObject, Sendable {
    /// Called once, before the first `pull`. `wake` may be called from any thread, any number of
    /// times, also after the end.
    func begin(wake: @escaping @Sendable () -> Void)
    /// Appends at most about `limit` bytes; where `output` is empty, it may put memory of its own in its
    /// place. Called on the connection's loop: it must not wait.
    func pull(into output: inout [UInt8], limit: Int) -> BodyStep
    /// The client went away, or the answer has no body (HEAD): nothing is pulled any more. Not
    /// called after `end` or `failed`.
    func cancel()
}
