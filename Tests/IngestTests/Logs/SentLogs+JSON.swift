import Foundation

/// As `application/json` (the protobuf JSON mapping, as OTLP/HTTP has it).
extension SentLogs {
    func json(_ style: JSONStyle = .plain) -> [UInt8] {
        let resources = resources.map { $0.json(style) }.joined(separator: ",")
        return Array("{\(style.string("resourceLogs")):[\(resources)]}".utf8)
    }
}

/// How texts and numbers are written; what is read is the same.
enum JSONStyle: CaseIterable {
    case plain
    /// Every unit of a string or a name is an escape.
    case escaped
    /// Integers as numbers, doubles as strings, base64url without padding, spaces, and members in
    /// the reverse of the order in which others write them.
    case other

    func string(_ bytes: [UInt8]) -> String { string(String(decoding: bytes, as: UTF8.self)) }

    func string(_ text: String) -> String {
        let isSimple = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
        if self != .escaped, isSimple { return "\"\(text)\"" }
        var out = "\""
        for scalar in text.unicodeScalars {
            let isPlain = scalar.value >= 0x20 && scalar != "\"" && scalar != "\\"
            if isPlain, self != .escaped {
                out.unicodeScalars.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return out + "\""
    }

    func integer(_ value: some BinaryInteger) -> String {
        self == .other ? "\(value)" : string("\(value)")
    }

    func double(_ value: Double) -> String {
        if value.isNaN { return string("NaN") }
        if value.isInfinite { return string(value > 0 ? "Infinity" : "-Infinity") }
        return self == .other ? string("\(value)") : "\(value)"
    }

    func bytes(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString()
        guard self == .other else { return string(text) }
        return string(
            text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: ""))
    }

    func object(_ members: [(String, String)]) -> String {
        let colon = self == .other ? " : " : ":"
        let members = self == .other ? members.reversed() : members
        return "{" + members.map { string($0.0) + colon + $0.1 }.joined(separator: ",") + "}"
    }

    func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }
}

extension SentResource {
    func json(_ style: JSONStyle) -> String {
        var members: [(String, String)] = []
        if let attributes {
            members.append(("resource", style.object([("attributes", attributes.json(style))])))
        }
        let scopes = scopes.map { records in
            style.object([
                ("scope", style.object([("name", style.string("lib"))])),
                ("logRecords", style.array(records.map { $0.json(style) })),
            ])
        }
        return style.object(members + [("scopeLogs", style.array(scopes))]).with(self.members)
    }
}

extension SentRecord {
    func json(_ style: JSONStyle) -> String {
        var members: [(String, String)] = []
        if let time { members.append(("timeUnixNano", style.integer(time))) }
        if let observedTime {
            members.append(("observedTimeUnixNano", style.integer(observedTime)))
        }
        if let name { members.append(("eventName", style.string(name))) }
        if !attributes.pairs.isEmpty { members.append(("attributes", attributes.json(style))) }
        return style.object(members).with(self.members)
    }
}

extension String {
    /// An object with members more, each with a comma before it.
    fileprivate func with(_ members: String) -> String {
        members.isEmpty
            ? self : self == "{}" ? "{\(members.dropFirst())}" : dropLast() + members + "}"
    }
}

extension SentAttributes {
    func json(_ style: JSONStyle) -> String {
        style.array(
            pairs.map { key, value in
                let member = ("key", style.string(key.bytes))
                if case .absent = value { return style.object([member]) }
                return style.object([member, ("value", value.json(style))])
            })
    }
}

extension SentValue {
    func json(_ style: JSONStyle) -> String {
        switch self {
        case .text(let text): style.object([("stringValue", style.string(text.bytes))])
        case .bool(let value): style.object([("boolValue", "\(value)")])
        case .int(let value): style.object([("intValue", style.integer(value))])
        case .double(let value): style.object([("doubleValue", style.double(value))])
        case .bytes(let bytes): style.object([("bytesValue", style.bytes(bytes))])
        case .list(let values):
            style.object([
                (
                    "arrayValue",
                    style.object([("values", style.array(values.map { $0.json(style) }))])
                )
            ])
        case .map(let attributes):
            style.object([("kvlistValue", style.object([("values", attributes.json(style))]))])
        case .empty, .absent: "{}"
        case .raw(_, let json): json
        }
    }
}
