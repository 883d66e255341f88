/// One request of a client: what, with which fields, with which body.
package struct HTTPRequest: Sendable {
    /// What is asked of the resource.
    package enum Method: Sendable { case get, post }

    /// One header field.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String

        /// A field of its name and value, neither of which is checked here.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What is asked.
    package var method: Method
    /// Path and query, from the slash on.
    package var path: String
    /// Fields beside those that libcurl sets: `Host`, `Content-Length`, `Accept`, `User-Agent`.
    package var fields: [Field]
    /// What is sent; only `post` has one.
    package var body: [UInt8]
    /// Whether a large body waits until the server has read the header (RFC 9110 §10.1.1).
    package var asksFirst = true

    /// A request as its parts.
    package init(_ method: Method, _ path: String, fields: [Field] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.fields = fields
        self.body = body
    }

    /// The token in `Authorization`. Nil without, and where it is shorter than any token of ours: it may then be part
    /// of any word.
    var credential: [UInt8]? {
        let field = fields.first { $0.name.lowercased() == "authorization" }
        let value = field?.value.utf8.split(separator: UInt8(ascii: " ")).last
        return value.flatMap { $0.count < Self.minCredential ? nil : Array($0) }
    }

    /// Bytes.
    private static let minCredential = 16

    /// A `GET`, with `token` as its bearer (RFC 6750 §2.1) where there is one.
    package static func get(_ path: String, token: String? = nil) -> HTTPRequest {
        HTTPRequest(.get, path, fields: token.map { [.bearer($0)] } ?? [])
    }
}

extension HTTPRequest.Field {
    /// `Authorization: Bearer`, RFC 6750 §2.1.
    package static func bearer(_ token: String) -> HTTPRequest.Field {
        HTTPRequest.Field("Authorization", "Bearer " + token)
    }

    /// Whether it is one line of a header and nothing more: a line break in a token read from a
    /// file would otherwise begin a field of its own.
    var isOneLine: Bool {
        !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
