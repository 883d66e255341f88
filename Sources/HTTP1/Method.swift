/// The method of a request (RFC 9110 §9, RFC 5789).
package enum Method: UInt8, Sendable, CaseIterable {
    case get, head, post, put, delete, options, patch, trace, connect
    /// A token that is none of these: answered with 501.
    case unknown

    /// The name as it stands in a request line, `"-"` for an unknown one.
    package var name: StaticString {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .patch: "PATCH"
        case .trace: "TRACE"
        case .connect: "CONNECT"
        case .unknown: "-"
        }
    }

    /// The method named by `bytes[range]`; names are case-sensitive (RFC 9110 §9.1).
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let candidate: Method
        switch (range.count, bytes[range.lowerBound]) {
        case (3, 0x47): candidate = .get
        case (3, _): candidate = .put
        case (4, 0x48): candidate = .head
        case (4, _): candidate = .post
        case (5, 0x50): candidate = .patch
        case (5, _): candidate = .trace
        case (6, _): candidate = .delete
        case (7, 0x4F): candidate = .options
        case (7, _): candidate = .connect
        default:
            self = .unknown
            return
        }
        let name = candidate.name.utf8Start
        for offset in 0..<range.count where bytes[range.lowerBound + offset] != name[offset] {
            self = .unknown
            return
        }
        self = candidate
    }
}
