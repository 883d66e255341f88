/// Writes a request in protobuf: fields in any order, numbers longer than needed, what nobody knows
/// in between, messages in two parts.
struct ProtobufForm {
    private typealias Field = (number: UInt64, bytes: [UInt8])

    private var quirks: Quirks

    static func encode(_ message: Message, seed: Int) -> [UInt8] {
        var form = ProtobufForm(quirks: Quirks(seed: seed))
        let fields = message.resources.map { (number: UInt64(1), bytes: form.logs($0)) }
        return form.message(fields.map { form.field($0.number, $0.bytes) })
    }

    private mutating func logs(_ logs: ResourceLogs) -> [UInt8] {
        var fields: [Field] = []
        let attributes = logs.attributes.map { field(1, pair($0)) }
        if attributes.isEmpty, quirks.pick(2) == 0 {
            fields = []
        } else {
            // A message that stands twice is one.
            let cut = quirks.happens(4) ? quirks.pick(attributes.count + 1) : attributes.count
            fields.append(field(1, message(Array(attributes[..<cut]))))
            if cut < attributes.count {
                fields.append(field(1, message(Array(attributes[cut...]))))
            }
        }
        for records in logs.scopes {
            fields.append(field(2, message(records.map { field(2, record($0)) })))
        }
        return message(fields)
    }

    private mutating func record(_ record: Record) -> [UInt8] {
        var fields: [Field] = []
        if record.time != 0 || quirks.happens(4) {
            if quirks.happens(6) { fields.append(fixed64(1, 42)) }
            fields.append(fixed64(1, record.time))
        }
        if record.observedTime != 0 || quirks.happens(4) {
            fields.append(fixed64(11, record.observedTime))
        }
        if !record.name.isEmpty || quirks.happens(4) {
            if quirks.happens(6) { fields.append(field(12, Array("other"))) }
            fields.append(field(12, record.name))
        }
        fields += record.attributes.map { field(6, pair($0)) }
        // A number that stands there as something else is unknown.
        if quirks.happens(4) { fields.append((1, varint(1 << 3) + varint(7))) }
        return message(fields)
    }

    private mutating func pair(_ attribute: Attribute) -> [UInt8] {
        var fields: [Field] = []
        if !attribute.key.isEmpty || quirks.happens(2) {
            if quirks.happens(8) { fields.append(field(1, Array("other"))) }
            fields.append(field(1, attribute.key))
        }
        if !attribute.value.isEmpty || quirks.happens(2) {
            if !attribute.value.isEmpty, quirks.happens(6) {
                fields.append(field(2, value(.int(3))))
            }
            fields.append(field(2, value(attribute.value)))
        }
        return message(fields)
    }

    private mutating func value(_ value: AnyValue) -> [UInt8] {
        var out: [UInt8] = []
        if !value.isEmpty, quirks.happens(6) {
            let isText = quirks.pick(2) == 0
            out += member(isText ? .string(Array("gone")) : .array([.bool(true), .empty]))
            // Two lists of a kind would be one.
            out += member(.bool(true))
        }
        return out + noise() + member(value) + noise()
    }

    private mutating func member(_ value: AnyValue) -> [UInt8] {
        switch value {
        case .empty: return []
        case .string(let text): return field(1, text).bytes
        case .bool(let bool):
            return varint(2 << 3) + varint(bool ? 1 + UInt64(quirks.pick(300)) : 0)
        case .int(let int): return varint(3 << 3) + varint(UInt64(bitPattern: int))
        case .digits: return []
        case .double(let double): return fixed64(4, double.bitPattern).bytes
        case .bytes(let bytes): return field(7, bytes).bytes
        case .array(let elements):
            return list(5, elements.map { element in field(1, self.value(element)) })
        case .kvlist(let members): return list(6, members.map { field(1, pair($0)) })
        }
    }

    /// In one part or two.
    private mutating func list(_ number: UInt64, _ elements: [Field]) -> [UInt8] {
        let cut = quirks.happens(4) ? quirks.pick(elements.count + 1) : elements.count
        let first = field(number, message(Array(elements[..<cut]))).bytes
        guard cut < elements.count else { return first }
        return first + noise() + field(number, message(Array(elements[cut...]))).bytes
    }

    private mutating func message(_ fields: [Field]) -> [UInt8] {
        quirks.mixed(fields, by: \.number).flatMap { noise() + $0.bytes } + noise()
    }

    private mutating func field(_ number: UInt64, _ content: [UInt8]) -> Field {
        (number, varint(number << 3 | 2) + varint(UInt64(content.count)) + content)
    }

    private mutating func fixed64(_ number: UInt64, _ value: UInt64) -> Field {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        return (number, varint(number << 3 | 1) + bytes)
    }

    private mutating func varint(_ value: UInt64) -> [UInt8] {
        var out: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        out.append(UInt8(rest))
        guard quirks.happens(8) else { return out }
        for _ in 0..<quirks.pick(11 - out.count) {
            out[out.count - 1] |= 0x80
            out.append(0)
        }
        return out
    }

    /// What every reader steps over, in any message.
    private mutating func noise() -> [UInt8] {
        guard quirks.happens(12) else { return [] }
        let number = UInt64(1 + quirks.pick(12))
        switch quirks.pick(4) {
        case 0: return varint(number << 3 | 5) + [1, 2, 3, 4]
        case 1: return varint(number << 3 | 3) + varint(99 << 3) + [1] + varint(number << 3 | 4)
        case 2: return varint((1 << 29 - 1) << 3 | 2) + [3, 0xff, 0, 0xff]
        default: return varint(15 << 3) + [0xff, 1]
        }
    }
}
