/// Writes a request in JSON: members in any order, escapes, numbers as strings and the other way
/// round, either base64, `null`, and members that nobody knows.
struct JSONForm {
    private typealias Member = (name: String, text: [UInt8])

    private var quirks: Quirks

    static func encode(_ message: Message, seed: Int) -> [UInt8] {
        var form = JSONForm(quirks: Quirks(seed: seed))
        var members: [Member] = []
        form.append("resourceLogs", message.resources.map { form.logs($0) }, to: &members)
        return form.space() + form.object(members) + form.space()
    }

    private mutating func logs(_ logs: ResourceLogs) -> [UInt8] {
        var members: [Member] = []
        if !logs.attributes.isEmpty || quirks.happens(2) {
            var resource: [Member] = []
            append("attributes", logs.attributes.map { pair($0) }, to: &resource)
            members.append(("resource", object(resource)))
        }
        let scopes = logs.scopes.map { records in
            var scope: [Member] = []
            append("logRecords", records.map { record($0) }, to: &scope)
            return object(scope)
        }
        append("scopeLogs", scopes, to: &members)
        return object(members)
    }

    private mutating func record(_ record: Record) -> [UInt8] {
        var members: [Member] = []
        append("timeUnixNano", record.time, to: &members)
        append("observedTimeUnixNano", record.observedTime, to: &members)
        if !record.name.isEmpty || quirks.happens(4) {
            members.append(("eventName", string(record.name)))
        }
        append("attributes", record.attributes.map { pair($0) }, to: &members)
        let ignored = [
            ("event_name", "\"other\""), ("severityNumber", "\"SEVERITY_NUMBER_INFO\""),
            ("body", "{\"stringValue\":1,\"x\":[{}]}"), ("traceId", "\"5B8E\""),
        ]
        for (name, text) in ignored where quirks.happens(8) { members.append((name, Array(text))) }
        return object(members)
    }

    /// A list that is empty may be absent.
    private mutating func append(_ name: String, _ elements: [[UInt8]], to members: inout [Member])
    {
        guard elements.isEmpty else { return members.append((name, array(elements))) }
        switch quirks.pick(3) {
        case 0: break
        case 1: members.append((name, Array("null")))
        default: members.append((name, array([])))
        }
    }

    private mutating func append(_ name: String, _ time: UInt64, to members: inout [Member]) {
        guard time == 0 else { return members.append((name, digits(String(time)))) }
        switch quirks.pick(4) {
        case 0: break
        case 1: members.append((name, Array("null")))
        case 2: members.append((name, Array("-0")))
        default: members.append((name, digits("0")))
        }
    }

    private mutating func pair(_ attribute: Attribute) -> [UInt8] {
        var members: [Member] = []
        if !attribute.key.isEmpty || quirks.happens(2) {
            members.append(("key", string(attribute.key)))
        }
        if !attribute.value.isEmpty || quirks.happens(2) {
            members.append(("value", value(attribute.value)))
        }
        return object(members)
    }

    private mutating func value(_ value: AnyValue) -> [UInt8] {
        let member: Member? =
            switch value {
            case .empty: nil
            case .string(let text): ("stringValue", string(text))
            case .bool(let bool): ("boolValue", Array(bool ? "true" : "false"))
            case .int(let int): ("intValue", digits(String(int)))
            case .digits(let text): ("intValue", digits(text))
            case .double(let double): ("doubleValue", number(double))
            case .bytes(let bytes): ("bytesValue", base64(bytes))
            case .array(let elements): ("arrayValue", list(elements.map { self.value($0) }))
            case .kvlist(let pairs): ("kvlistValue", list(pairs.map { pair($0) }))
            }
        // The last that is there counts.
        var members: [Member] = []
        if let member {
            if quirks.happens(6), member.name != "boolValue" {
                members.append(("boolValue", Array(quirks.pick(2) == 0 ? "true" : "null")))
            }
            members.append(member)
        }
        if quirks.happens(6), member?.name != "doubleValue" {
            members.append(("doubleValue", Array("null")))
        }
        if quirks.happens(8) { members.append(("string_value", Array("\"other\""))) }
        return object(members, isInOrder: true)
    }

    private mutating func list(_ elements: [[UInt8]]) -> [UInt8] {
        var members: [Member] = []
        append("values", elements, to: &members)
        return object(members)
    }

    private mutating func object(_ members: [Member], isInOrder: Bool = false) -> [UInt8] {
        var members = members
        if quirks.happens(16) { members.append(("x\(quirks.pick(9))", Array("[1e2,\"\\u00e9\"]"))) }
        let all = isInOrder ? members : quirks.mixed(members, by: \.name)
        let texts = all.map { member in
            space() + string(Array(member.name)) + space() + Array(":") + space() + member.text
                + space()
        }
        return Array("{") + texts.joined(separator: Array(",")) + Array("}")
    }

    private mutating func array(_ elements: [[UInt8]]) -> [UInt8] {
        let texts = elements.map { space() + $0 + space() }
        return Array("[") + texts.joined(separator: Array(",")) + Array("]")
    }

    private mutating func space() -> [UInt8] {
        quirks.happens(16) ? Array([" ", "\n", "\t", "\r\n  "][quirks.pick(4)]) : []
    }

    private mutating func digits(_ digits: String) -> [UInt8] {
        quirks.pick(2) == 0 ? Array("\"" + digits + "\"") : Array(digits)
    }

    private mutating func number(_ double: Double) -> [UInt8] {
        guard double.isFinite else {
            return Array(double.isNaN ? "\"NaN\"" : double > 0 ? "\"Infinity\"" : "\"-Infinity\"")
        }
        // The canonical form of a negative zero has no sign.
        var text = quirks.pick(2) == 0 || double == 0 ? "\(double)" : CanonicalText.number(double)
        if quirks.happens(4), !text.contains("e") { text += text.contains(".") ? "00E+0" : ".0e-0" }
        return Array(quirks.happens(3) ? "\"" + text + "\"" : text)
    }

    private mutating func base64(_ bytes: [UInt8]) -> [UInt8] {
        string(
            Base64.encode(
                bytes, quirks.pick(2) == 0 ? Base64.standard : Base64.url, pads: quirks.pick(2) == 0
            ))
    }

    /// Text without U+0000.
    private mutating func string(_ text: [UInt8]) -> [UInt8] {
        let often = [0, 0, 3, 20][quirks.pick(4)]
        guard often > 0 else { return CanonicalText.string(text) }
        var out = Array("\"")
        out.reserveCapacity(text.count + 16)
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if quirks.happens(often) {
                for unit in String(scalar).utf16 {
                    let hex = String(unit, radix: 16, uppercase: quirks.happens(3))
                    out += ("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8
                }
            } else if scalar == "/", quirks.happens(2) {
                out += Array("\\/")
            } else {
                for byte in UTF8.encode(scalar) ?? .init() {
                    CanonicalText.append(byte, to: &out)
                }
            }
        }
        return out + Array("\"")
    }
}
