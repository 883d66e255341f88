/// The one JSON object that a JOSE header or a JWK is (RFC 8259), read strictly: UTF-8, no member
/// twice after unescaping, no lone surrogate, nothing but white space around it. Only texts and
/// objects in it are kept; other values are judged and stepped over.
struct JOSEObject {
    enum Value {
        /// UTF-8, unescaped.
        case text([UInt8])
        indirect case object(JOSEObject)
        /// A number, literal or array, which nothing here needs.
        case other
    }

    private(set) var members: [[UInt8]: Value]

    init(_ text: Span<UInt8>) throws(SealError) {
        let octets = text.withUnsafeBufferPointer { Array($0) }
        guard String(validating: octets, as: UTF8.self) != nil else { throw .undecodable }
        var parser = JOSEParser(octets)
        self = try parser.whole()
    }

    init(members: [[UInt8]: Value]) { self.members = members }

    func has(_ name: String) -> Bool { members[Array(name.utf8)] != nil }

    /// A text; nil where the member is absent or none.
    func text(_ name: String) -> [UInt8]? {
        guard case .text(let text) = members[Array(name.utf8)] else { return nil }
        return text
    }

    /// A text that is base64url, decoded.
    func octets(_ name: String) -> [UInt8]? { text(name).flatMap { Base64URL.decode($0.span) } }
}
