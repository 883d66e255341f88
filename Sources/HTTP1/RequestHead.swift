/// The head of a request: what was asked, as ranges of the bytes it was parsed from.
///
/// Every range counts from the message's first byte, which is the first byte of the `bytes` that
/// accompany a head.
package struct RequestHead: Sendable {
    /// The forms of a request target (RFC 9112 §3.2).
    package enum TargetForm: UInt8, Sendable { case origin, absolute, asterisk, authority }

    /// One field line: the value is without white space around it.
    package struct Field: Sendable {
        package var name: FieldName
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32

        /// The name as it was sent.
        package var nameRange: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        /// The value.
        package var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    package internal(set) var method = Method.unknown
    package internal(set) var version = Version.http11
    package internal(set) var targetForm = TargetForm.origin
    /// How the body's length is known.
    package internal(set) var body = BodyFraming.none
    /// `true` if the client will use the connection again (RFC 9112 §9.3).
    package internal(set) var keepsAlive = true
    /// `true` if the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    package internal(set) var expectsContinue = false
    /// The whole target as it was sent.
    package internal(set) var target = 0..<0
    /// The path of the target, raw. Empty for `*`, for authorities, and for a URL without a path
    /// (which stands for `/`).
    package internal(set) var path = 0..<0
    /// The query of the target without its `?`, raw; `nil` if there is no `?`.
    package internal(set) var query: Range<Int>?
    /// All field lines in order.
    package internal(set) var fields: [Field] = []
    /// Where the head ends: the first byte after its empty line.
    package internal(set) var end = 0

    package init() {}

    /// The range of the first value of a field that the server knows by name.
    package func first(_ name: FieldName) -> Range<Int>? {
        for field in fields where field.name == name { return field.value }
        return nil
    }

    /// The number of lines of a field that the server knows by name.
    package func count(of name: FieldName) -> Int {
        var count = 0
        for field in fields where field.name == name { count += 1 }
        return count
    }

    /// Calls `body` with the value of each line of a field, in order.
    package func forEachValue<E: Error>(
        of name: FieldName, _ body: (Range<Int>) throws(E) -> Void
    ) throws(E) {
        for field in fields where field.name == name { try body(field.value) }
    }

    /// The range of the first value of any field; `name` in small letters.
    package func first(named name: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
        for field in fields where Words.equal(bytes, field.nameRange, name) { return field.value }
        return nil
    }
}

/// How the length of a request's body is known (RFC 9112 §6.3).
package enum BodyFraming: Sendable, Equatable {
    /// No body: neither Content-Length nor Transfer-Encoding was sent.
    case none
    /// Content-Length in bytes; lengths beyond `Int.max` are given as `Int.max`.
    case length(Int)
    case chunked
}

/// The protocol version of a request. A higher minor version of HTTP/1 counts as 1.1
/// (RFC 9110 §6.2); any other major version is refused.
package enum Version: UInt8, Sendable {
    case http10, http11
}
