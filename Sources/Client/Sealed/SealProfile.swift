/// How a body is sealed (docs/protocol.md, "Endpoints").
package enum SealProfile: String, CaseIterable, Sendable {
    /// gzip, then RFC 8188: the default.
    case aes128gcm
    /// RFC 7516, with a public key and an ingest token.
    case jwe
    /// gzip and an ingest token, behind a TLS proxy.
    case plain
    /// gzip, then AES-128-ECB: what clients of 2013 do.
    case legacy
}
