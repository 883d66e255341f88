import Protobuf

/// All fields of a message.
/// - Parameter depth: how deep it lies
func fields(_ bytes: [UInt8], depth: Int = 1) throws(MalformedMessage) -> [Field] {
    var reader = try FieldReader(0..<bytes.count, depth: depth)
    var fields: [Field] = []
    while let field = try reader.next(bytes.span) { fields.append(field) }
    return fields
}

/// Whether a message breaks a rule of its encoding.
func isMalformed(_ bytes: [UInt8], depth: Int = 1) -> Bool {
    (try? fields(bytes, depth: depth)) == nil
}
