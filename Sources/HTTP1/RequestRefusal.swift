/// Why a request is refused by the protocol itself.
package enum RequestRefusal: UInt8, Sendable, Equatable, CaseIterable {
    case requestLine, target, lineEnd, fieldName, fieldValue, host
    case length, lengthConflict, transferCoding, unknownCoding, codingVersion
    case chunk, trailer, truncated
    case requestLineTooLong, headerTooLarge, tooManyFields, bodyTooLarge
    case unknownMethod, version, expectation
    case headerTimeout, bodyTimeout, noRoom
    case shuttingDown

    /// The status of the answer.
    package var status: Int {
        switch self {
        case .requestLine, .target, .lineEnd, .fieldName, .fieldValue, .host, .length,
            .lengthConflict, .transferCoding, .unknownCoding, .codingVersion, .chunk, .trailer,
            .truncated:
            400
        case .headerTimeout, .bodyTimeout, .noRoom: 408
        case .bodyTooLarge: 413
        case .requestLineTooLong: 414
        case .expectation: 417
        case .headerTooLarge, .tooManyFields: 431
        case .unknownMethod: 501
        case .shuttingDown: 503
        case .version: 505
        }
    }

    /// One sentence for the person who reads the answer; nothing of the request is in it.
    package var detail: StaticString {
        switch self {
        case .requestLine:
            "The request line is not: method, one space, target, one space, HTTP/1.1."
        case .target: "The request target is not a valid path, URL or asterisk."
        case .lineEnd: "A line of the header does not end with CR LF."
        case .fieldName: "A field name is empty, folded, or has an octet that no token has."
        case .fieldValue: "A field value has a control character."
        case .host: "Send exactly one Host field with a valid host."
        case .length: "Send Content-Length once, as decimal digits."
        case .lengthConflict: "Send Content-Length or Transfer-Encoding, not both."
        case .transferCoding: "The last and only transfer coding must be chunked."
        case .unknownCoding: "Only the transfer coding chunked is understood."
        case .codingVersion: "HTTP/1.0 has no Transfer-Encoding."
        case .chunk: "A chunk is malformed."
        case .trailer: "The trailer section is malformed."
        case .truncated: "The connection ended inside the request."
        case .requestLineTooLong: "The request line is too long."
        case .headerTooLarge: "The header is too large."
        case .tooManyFields: "The header has too many fields."
        case .bodyTooLarge: "The body is too large."
        case .unknownMethod: "Use a method that HTTP defines."
        case .version: "Only HTTP/1.1 and HTTP/1.0 are spoken here."
        case .expectation: "Expect 100-continue, once, or nothing."
        case .headerTimeout: "The header took too long."
        case .bodyTimeout: "The body took too long."
        case .noRoom:
            "The request took longest of too many at once; send it again, in smaller bodies."
        case .shuttingDown: "The server is shutting down; send the request again."
        }
    }

    /// `true` if the message still has known bounds, so that the connection may be used again.
    var leavesFramingIntact: Bool {
        switch self {
        case .unknownMethod, .bodyTooLarge: true
        default: false
        }
    }
}
