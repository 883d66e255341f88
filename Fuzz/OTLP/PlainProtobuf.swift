/// Protocol Buffers as their encoding guide has them, read without haste: a message is a list of
/// fields.
struct PlainField {
    let number: UInt64
    /// 0 a varint, 1 eight bytes, 2 a length and bytes, 5 four bytes; groups are left out.
    let wireType: UInt64
    /// Of a number.
    var bits: UInt64 = 0
    var bytes: [UInt8] = []

    static let maxDepth = 100
    /// How many were read so far, those in groups too.
    nonisolated(unsafe) static var count = 0

    /// The fields of a message that lies so deep; nil where it is malformed.
    static func all(_ message: [UInt8], depth: Int) -> [PlainField]? {
        var rest = message[...]
        return depth > maxDepth ? nil : fields(&rest, until: nil, depth: depth)
    }

    /// Up to the end, or to the end of a group.
    private static func fields(
        _ rest: inout ArraySlice<UInt8>, until group: UInt64?, depth: Int
    ) -> [PlainField]? {
        var out: [PlainField] = []
        while !rest.isEmpty {
            guard let tag = varint(&rest), case let number = tag >> 3, number > 0,
                number < 1 << 29
            else { return nil }
            var field = PlainField(number: number, wireType: tag & 7)
            if field.wireType != 4 { count += 1 }
            switch field.wireType {
            case 0:
                guard let value = varint(&rest) else { return nil }
                field.bits = value
            case 1, 5:
                let count = field.wireType == 1 ? 8 : 4
                guard rest.count >= count else { return nil }
                field.bits = rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
                rest = rest.dropFirst(count)
            case 2:
                guard let length = varint(&rest), length <= UInt64(rest.count) else { return nil }
                field.bytes = Array(rest.prefix(Int(length)))
                rest = rest.dropFirst(Int(length))
            case 3:
                guard depth < maxDepth,
                    fields(&rest, until: number, depth: depth + 1) != nil
                else { return nil }
                continue
            case 4: return number == group ? out : nil
            default: return nil
            }
            out.append(field)
        }
        return group == nil ? out : nil
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<10 {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7f) << UInt64(7 * index)
            if byte < 0x80 { return value }
        }
        return nil
    }
}

extension Message {
    /// What a request in protobuf says; nil where it is malformed.
    init?(protobuf bytes: [UInt8]) {
        guard let fields = PlainField.all(bytes, depth: 1) else { return nil }
        for field in fields where field.number == 1 && field.wireType == 2 {
            guard let resource = ResourceLogs(protobuf: field.bytes) else { return nil }
            resources.append(resource)
        }
    }
}

extension ResourceLogs {
    fileprivate init?(protobuf bytes: [UInt8]) {
        guard let fields = PlainField.all(bytes, depth: 2) else { return nil }
        for field in fields where field.wireType == 2 {
            switch field.number {
            case 1:
                guard let resource = PlainField.all(field.bytes, depth: 3) else { return nil }
                for field in resource where field.number == 1 && field.wireType == 2 {
                    guard let attribute = Attribute(protobuf: field.bytes, depth: 4) else {
                        return nil
                    }
                    attributes.append(attribute)
                }
            case 2:
                guard let scope = PlainField.all(field.bytes, depth: 3) else { return nil }
                var records: [Record] = []
                for field in scope where field.number == 2 && field.wireType == 2 {
                    guard let record = Record(protobuf: field.bytes) else { return nil }
                    records.append(record)
                }
                scopes.append(records)
            default: break
            }
        }
    }
}

extension Record {
    fileprivate init?(protobuf bytes: [UInt8]) {
        guard let fields = PlainField.all(bytes, depth: 4) else { return nil }
        for field in fields {
            switch (field.number, field.wireType) {
            case (1, 1): time = field.bits
            case (11, 1): observedTime = field.bits
            case (12, 2): name = field.bytes
            case (6, 2):
                guard let attribute = Attribute(protobuf: field.bytes, depth: 5) else { return nil }
                attributes.append(attribute)
            default: break
            }
        }
    }
}

extension Attribute {
    fileprivate init?(protobuf bytes: [UInt8], depth: Int) {
        guard let fields = PlainField.all(bytes, depth: depth) else { return nil }
        // A message that stands twice is one: the fields of all.
        var parts: [PlainField] = []
        for field in fields where field.wireType == 2 {
            if field.number == 1 { key = field.bytes }
            guard field.number == 2 else { continue }
            guard let part = PlainField.all(field.bytes, depth: depth + 1) else { return nil }
            parts += part
        }
        guard let value = AnyValue(fields: parts, depth: depth + 1) else { return nil }
        self.value = value
    }
}

extension AnyValue {
    fileprivate init?(fields: [PlainField], depth: Int) {
        self = .empty
        for field in fields {
            switch (field.number, field.wireType) {
            case (1, 2): self = .string(field.bytes)
            case (2, 0): self = .bool(field.bits != 0)
            case (3, 0): self = .int(Int64(bitPattern: field.bits))
            case (4, 1): self = .double(Double(bitPattern: field.bits))
            case (7, 2): self = .bytes(field.bytes)
            case (5, 2):
                var elements: [AnyValue] = []
                if case .array(let before) = self { elements = before }
                guard let list = PlainField.all(field.bytes, depth: depth + 1) else { return nil }
                for field in list where field.number == 1 && field.wireType == 2 {
                    guard let fields = PlainField.all(field.bytes, depth: depth + 2),
                        let element = AnyValue(fields: fields, depth: depth + 2)
                    else { return nil }
                    elements.append(element)
                }
                self = .array(elements)
            case (6, 2):
                var members: [Attribute] = []
                if case .kvlist(let before) = self { members = before }
                guard let list = PlainField.all(field.bytes, depth: depth + 1) else { return nil }
                for field in list where field.number == 1 && field.wireType == 2 {
                    guard let member = Attribute(protobuf: field.bytes, depth: depth + 2) else {
                        return nil
                    }
                    members.append(member)
                }
                self = .kvlist(members)
            default: break
            }
        }
    }
}
