/// How the length of a request's body is known (RFC 9112 §6.3).
package enum BodyFraming: Sendable, Equatable {
    /// No body: neither Content-Length nor Transfer-Encoding was sent.
    case none
    /// Content-Length in bytes; lengths beyond `Int.max` are given as `Int.max`.
    case length(Int)
    case chunked
}
