import Protobuf

/// Reads `KeyValue` and `AnyValue` in protobuf (opentelemetry-proto 1.11, common.proto).
enum ProtobufValues {
    private enum KeyValue {
        static let key: UInt32 = 1
        static let value: UInt32 = 2
    }

    private enum AnyValue {
        static let string: UInt32 = 1
        static let bool: UInt32 = 2
        static let int: UInt32 = 3
        static let double: UInt32 = 4
        static let array: UInt32 = 5
        static let kvlist: UInt32 = 6
        static let bytes: UInt32 = 7
    }

    /// Of `ArrayValue` and `KeyValueList`.
    private static let values: UInt32 = 1

    /// Appends the attribute that a `KeyValue` is.
    static func readAttribute(
        _ range: Range<Int>, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount,
        into attributes: inout ReadAttributes
    ) throws(MalformedMessage) {
        let (key, parts) = try keyValue(range, depth: depth, bytes, &count)
        var value = ReadValue()
        if let parts {
            let found = try scan(parts, depth: depth + 1, bytes, &count, &attributes)
            switch found.field {
            case AnyValue.string:
                value.kind = .string
                value.text = TextSlot(start: found.start, end: found.end)
            case AnyValue.bool:
                value.kind = .bool
                value.bits = found.bits == 0 ? 0 : 1
            case AnyValue.int: (value.kind, value.bits) = (.integer, found.bits)
            case AnyValue.double: (value.kind, value.bits) = (.double, found.bits)
            case 0: break
            default:
                value.kind = .made
                let start = attributes.beginValue()
                if found.field == AnyValue.bytes {
                    attributes.appendBase64(bytes.extracting(found.start..<found.end))
                } else {
                    try append(found, depth: depth + 1, bytes, &count, to: &attributes)
                }
                value.text = attributes.endValue(start)
            }
        }
        attributes.append(key, value, bytes)
    }

    /// The last key, and all parts of the value; nil where it has none.
    @inline(__always)
    private static func keyValue(
        _ range: Range<Int>, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount
    ) throws(MalformedMessage) -> (TextSlot, MessageParts?) {
        var key = TextSlot()
        var parts: MessageParts?
        var fields = try FieldReader(range, depth: depth)
        while let field = try fields.next(bytes, &count) {
            guard field.kind == .bytes else { continue }
            switch field.number {
            case KeyValue.key: key = TextSlot(start: field.start, end: field.end)
            case KeyValue.value:
                if parts == nil {
                    parts = MessageParts(field.range)
                } else {
                    parts?.append(field.range)
                }
            default: break
            }
        }
        return (key, parts)
    }

    /// What an `AnyValue` holds: its last member.
    private struct Found {
        /// The member; 0 where there is none.
        var field: UInt32 = 0
        var bits: UInt64 = 0
        /// Of a string or bytes.
        var start = 0
        var end = 0
        /// Of an array or a kvlist, all that stand after the last other member.
        var list: MessageParts?
    }

    /// - Parameter attributes: nothing is appended to them
    @inline(__always)
    private static func scan(
        _ parts: MessageParts, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount,
        _ attributes: inout ReadAttributes
    ) throws(MalformedMessage) -> Found {
        var found = Found()
        for index in 0..<parts.count {
            var fields = try FieldReader(parts[index], depth: depth)
            while let field = try fields.next(bytes, &count) {
                switch (field.number, field.kind) {
                case (AnyValue.string, .bytes), (AnyValue.bytes, .bytes):
                    if found.list != nil {
                        try skipList(of: found, depth: depth, bytes, &count, &attributes)
                    }
                    found = Found(field: field.number, start: field.start, end: field.end)
                case (AnyValue.bool, .varint), (AnyValue.int, .varint), (AnyValue.double, .fixed64):
                    if found.list != nil {
                        try skipList(of: found, depth: depth, bytes, &count, &attributes)
                    }
                    found = Found(field: field.number, bits: field.bits)
                case (AnyValue.array, .bytes), (AnyValue.kvlist, .bytes):
                    if found.field == field.number {
                        found.list?.append(field.range)
                    } else {
                        if found.list != nil {
                            try skipList(of: found, depth: depth, bytes, &count, &attributes)
                        }
                        found = Found(field: field.number, list: MessageParts(field.range))
                    }
                default: break
                }
            }
        }
        return found
    }

    /// Appends a value as JSON.
    /// - Parameter depth: of the `AnyValue` that held it
    private static func append(
        _ found: Found, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount,
        to attributes: inout ReadAttributes
    ) throws(MalformedMessage) {
        switch found.field {
        case AnyValue.string: attributes.appendString(bytes.extracting(found.start..<found.end))
        case AnyValue.bytes: attributes.appendBytes(bytes.extracting(found.start..<found.end))
        case AnyValue.bool: attributes.appendBool(found.bits != 0)
        case AnyValue.int: attributes.appendInteger(Int64(bitPattern: found.bits))
        case AnyValue.double: attributes.appendDouble(Double(bitPattern: found.bits))
        case AnyValue.array:
            guard let list = found.list else { return }
            try appendArray(list, depth: depth + 1, bytes, &count, to: &attributes)
        case AnyValue.kvlist:
            guard let list = found.list else { return }
            try appendList(list, depth: depth + 1, bytes, &count, to: &attributes)
        default: attributes.appendNull()
        }
    }

    private static func appendArray(
        _ list: MessageParts, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount,
        to attributes: inout ReadAttributes
    ) throws(MalformedMessage) {
        var isFirst = true
        attributes.append(UInt8(ascii: "["))
        for index in 0..<list.count {
            var fields = try FieldReader(list[index], depth: depth)
            while let field = try fields.next(bytes, &count) {
                guard field.number == values, field.kind == .bytes else { continue }
                if !isFirst { attributes.append(UInt8(ascii: ",")) }
                isFirst = false
                let found = try scan(
                    MessageParts(field.range), depth: depth + 1, bytes, &count, &attributes)
                try append(found, depth: depth + 1, bytes, &count, to: &attributes)
            }
        }
        attributes.append(UInt8(ascii: "]"))
    }

    private static func appendList(
        _ list: MessageParts, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount,
        to attributes: inout ReadAttributes
    ) throws(MalformedMessage) {
        var members = attributes.beginList()
        for index in 0..<list.count {
            var fields = try FieldReader(list[index], depth: depth)
            while let field = try fields.next(bytes, &count) {
                guard field.number == values, field.kind == .bytes else { continue }
                let (key, parts) = try keyValue(field.range, depth: depth + 1, bytes, &count)
                let start = attributes.beginPair(of: members)
                attributes.appendKey(key, bytes)
                if let parts {
                    let found = try scan(parts, depth: depth + 2, bytes, &count, &attributes)
                    try append(found, depth: depth + 2, bytes, &count, to: &attributes)
                } else {
                    attributes.appendNull()
                }
                attributes.endPair(key, start, of: &members, bytes)
            }
        }
        attributes.endList(members)
    }

    /// Reads a list that another member has replaced: it may be malformed all the same.
    private static func skipList(
        of found: Found, depth: Int, _ bytes: Span<UInt8>, _ count: inout FieldCount,
        _ attributes: inout ReadAttributes
    ) throws(MalformedMessage) {
        let limit = attributes.limit
        attributes.limit = attributes.made.count
        try append(found, depth: depth, bytes, &count, to: &attributes)
        attributes.limit = limit
    }
}

/// Where a message stands: messages that stand twice are one (protobuf.dev, Encoding, Last One Wins).
struct MessageParts {
    private let first: Range<Int>
    /// A body has less than 2^32 bytes.
    private var more: [Range<UInt32>] = []

    init(_ range: Range<Int>) { first = range }

    var count: Int { 1 + more.count }

    subscript(index: Int) -> Range<Int> {
        guard index > 0 else { return first }
        let range = more[index - 1]
        return Int(range.lowerBound)..<Int(range.upperBound)
    }

    mutating func append(_ range: Range<Int>) {
        // Nothing is in it.
        guard !range.isEmpty else { return }
        let start = UInt32(truncatingIfNeeded: range.lowerBound)
        more.append(start..<UInt32(truncatingIfNeeded: range.upperBound))
    }
}
