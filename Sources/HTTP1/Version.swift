/// The protocol version of a request. A higher minor version of HTTP/1 counts as 1.1
/// (RFC 9110 §6.2); any other major version is refused.
package enum Version: UInt8, Sendable {
    case http10, http11
}
