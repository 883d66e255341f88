import Protobuf

/// All fields of a message.
/// - Parameters:
///   - depth: how deep it lies
///   - limit: how many fields it may have
func fields(
    _ bytes: [UInt8], depth: Int = 1, limit: Int = .max
) throws(MalformedMessage) -> [Field] {
    var reader = try FieldReader(0..<bytes.count, depth: depth)
    var count = FieldCount(limit: limit)
    var fields: [Field] = []
    while let field = try reader.next(bytes.span, &count) { fields.append(field) }
    return fields
}

/// Whether a message breaks a rule of its encoding.
func isMalformed(_ bytes: [UInt8], depth: Int = 1) -> Bool {
    (try? fields(bytes, depth: depth)) == nil
}
