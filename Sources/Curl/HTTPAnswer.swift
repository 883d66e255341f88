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

extension HTTPAnswer {
    /// Replaces a credential with asterisks: answers are printed and logged, and a server may echo what it was sent.
    /// - Parameter credential: the bytes of a token or a password
    func withholding(_ credential: [UInt8]) -> HTTPAnswer {
        var answer = self
        Self.withhold(credential, in: &answer.body)
        for index in answer.fields.indices {
            var value = Array(answer.fields[index].value.utf8)
            if Self.withhold(credential, in: &value) {
                answer.fields[index].value = String(decoding: value, as: UTF8.self)
            }
        }
        return answer
    }

    /// - Returns: whether the credential was there
    @discardableResult
    private static func withhold(_ credential: [UInt8], in bytes: inout [UInt8]) -> Bool {
        guard let first = credential.first, bytes.count >= credential.count else { return false }
        var isThere = false
        var index = 0
        while index <= bytes.count - credential.count {
            guard bytes[index] == first,
                bytes[index..<index + credential.count].elementsEqual(credential)
            else {
                index += 1
                continue
            }
            for found in index..<index + credential.count { bytes[found] = UInt8(ascii: "*") }
            isThere = true
            index += credential.count
        }
        return isThere
    }
}
