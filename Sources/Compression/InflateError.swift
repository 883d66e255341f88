/// Why a compressed body was refused (docs/protocol.md, gzip).
package enum InflateError: Error {
    /// It is not exactly one well-formed gzip member, or one raw deflate stream.
    case damaged
    /// It inflates to more than the limit. Wins over `damaged` where the limit is met first:
    /// nothing past it is looked at.
    case tooLarge
}
