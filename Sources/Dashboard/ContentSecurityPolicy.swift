import Sealing

/// What the page may do in a browser: run this script, show this style, ask its own origin, and nothing else
/// (CSP Level 3; Trusted Types).
struct ContentSecurityPolicy {
    /// As the field's value.
    let text: String

    /// - Parameters:
    ///   - script: exactly what stands between the tags, as UTF-8
    ///   - style: the same
    init(script: [UInt8], style: [UInt8]) {
        text = [
            "default-src 'none'", "script-src \(Self.source(of: script))",
            "style-src \(Self.source(of: style))", "img-src data:", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    /// A hash as a source expression.
    private static func source(of text: [UInt8]) -> String {
        let digest = Hashing.sha256(text.span).withBytes { Base64.encode($0) }
        return "'sha256-\(digest)'"
    }
}
