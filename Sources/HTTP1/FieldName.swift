/// The fields that the server knows by name; all others are `.other`.
package enum FieldName: UInt8, Sendable, CaseIterable {
    case other
    case host, connection, contentLength, transferEncoding, expect
    case contentType, contentEncoding, authorization, accept, acceptEncoding
    case userAgent, ifNoneMatch, origin, upgrade, date
    case accessControlRequestMethod, accessControlRequestHeaders

    /// The name in small letters, empty for `.other`.
    package var name: StaticString {
        switch self {
        case .other: ""
        case .host: "host"
        case .connection: "connection"
        case .contentLength: "content-length"
        case .transferEncoding: "transfer-encoding"
        case .expect: "expect"
        case .contentType: "content-type"
        case .contentEncoding: "content-encoding"
        case .authorization: "authorization"
        case .accept: "accept"
        case .acceptEncoding: "accept-encoding"
        case .userAgent: "user-agent"
        case .ifNoneMatch: "if-none-match"
        case .origin: "origin"
        case .upgrade: "upgrade"
        case .date: "date"
        case .accessControlRequestMethod: "access-control-request-method"
        case .accessControlRequestHeaders: "access-control-request-headers"
        }
    }

    /// The field named by `bytes[range]`, letters of either case (RFC 9110 §5.1).
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let candidate: FieldName
        switch (range.count, bytes[range.lowerBound] | 0x20) {
        case (4, 0x68): candidate = .host
        case (4, 0x64): candidate = .date
        case (6, 0x65): candidate = .expect
        case (6, 0x61): candidate = .accept
        case (6, 0x6F): candidate = .origin
        case (7, 0x75): candidate = .upgrade
        case (10, 0x63): candidate = .connection
        case (10, 0x75): candidate = .userAgent
        case (12, 0x63): candidate = .contentType
        case (13, 0x61): candidate = .authorization
        case (13, 0x69): candidate = .ifNoneMatch
        case (14, 0x63): candidate = .contentLength
        case (15, 0x61): candidate = .acceptEncoding
        case (16, 0x63): candidate = .contentEncoding
        case (29, 0x61): candidate = .accessControlRequestMethod
        case (30, 0x61): candidate = .accessControlRequestHeaders
        case (17, 0x74): candidate = .transferEncoding
        default:
            self = .other
            return
        }
        self = Words.equal(bytes, range, candidate.name) ? candidate : .other
    }
}
