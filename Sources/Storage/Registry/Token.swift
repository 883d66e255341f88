import Events
import Sealing

/// A bearer token. Only its hash is kept.
package struct Token: Sendable, Equatable {
    /// What rows call it.
    package let id: Int64
    /// By which commands name it.
    package let name: String
    /// SHA-256 of the token's text, `sj_` included.
    package let hash: Digest256
    /// What it opens.
    package let scope: TokenScope
    /// Row id of its app; nil for all apps.
    package let app: Int64?
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package let createdAt: Int64
    /// Since when it no longer counts.
    package let revokedAt: Int64?

    /// Whether requests that bear it are refused.
    package var isRevoked: Bool { revokedAt != nil }

    /// What every token begins with, so that one in a wrong place is recognised.
    package static let prefix = "sj_"

    /// A new token's text: the prefix and 43 base64url digits of 32 random octets.
    static func makeText() -> String {
        prefix + Base64URL.encode(RandomBytes.make(32).span)
    }

    /// By what a token is known.
    package static func hash(of text: Span<UInt8>) -> Digest256 { Hashing.sha256(text) }
}
