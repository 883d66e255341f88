/// What a server, or something on the way to it, has answered.
package struct HTTPAnswer: Sendable, Equatable {
    /// The status code, as 200.
    package var status: Int
    /// The header's fields in their order, names as sent.
    package var fields: [Field]
    /// The body, decoded of its framing; at most as large as the client takes.
    package var body: [UInt8]

    /// One header field.
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String
    }

    /// An answer as its parts.
    package init(
        status: Int, fields: [(String, String)] = [], body: [UInt8] = []
    ) {
        self.status = status
        self.fields = fields.map { Field(name: $0.0, value: $0.1) }
        self.body = body
    }

    /// The value of the first field of this name, whatever its case.
    package func field(_ name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }
}
