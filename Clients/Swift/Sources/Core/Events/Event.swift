import JSON

/// An event as the journal and the batch write it.
package enum Event {
    /// The attribute that is the client's alone.
    package static let sessionKey = "session.id"
    /// Appends the event as a JSON object, without a line's end in it. It has been judged by
    /// `EventRule`.
    ///
    /// - Parameters:
    ///   - time: Milliseconds since 1970.
    ///   - session: The `session.id`, if it happens in the foreground; what a caller gave is not used.
    package static func append(
        name: String, time: Int64, attributes: [String: Value], session: String?,
        to out: inout [UInt8]
    ) {
        out += "{\"name\":".utf8
        Writer.append(name, to: &out)
        out += ",\"time\":".utf8
        Writer.append(time, to: &out)
        out += ",\"attributes\":{".utf8
        var isFirst = true
        func begin(_ key: String, _ out: inout [UInt8]) {
            if !isFirst { out.append(UInt8(ascii: ",")) }
            isFirst = false
            Writer.append(key, to: &out)
            out.append(UInt8(ascii: ":"))
        }
        if let session {
            begin(sessionKey, &out)
            Writer.append(session, to: &out)
        }
        for (key, value) in sorted(attributes) where key != sessionKey {
            begin(key, &out)
            append(value, to: &out)
        }
        out += "}}".utf8
    }

    /// By the bytes of their keys: the same event is always the same text.
    private static func sorted(
        _ attributes: [String: Value]
    ) -> [(key: String, value: Value)] {
        attributes.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private static func append(_ value: Value, to out: inout [UInt8]) {
        switch value {
        case .string(let text): Writer.append(text, to: &out)
        case .integer(let value): Writer.append(value, to: &out)
        case .boolean(let value): out += value ? "true".utf8 : "false".utf8
        case .double(let value):
            DecimalForm.append(value, to: &out)
            // Digits alone would be an integer, and beyond 2^53−1 none that is allowed.
            if value.magnitude > Double(EventRule.maxInteger), value.magnitude < 1e21 {
                out += ".0".utf8
            }
        }
    }

    /// The event's name and a string attribute of it, read back from its JSON; nil where that is no event.
    package static func read(
        _ json: Span<UInt8>, attribute: String? = nil
    ) -> (name: String, attribute: String?)? {
        guard let tree = try? Tree(json), let name = tree["name"]?.text else { return nil }
        let value = attribute.flatMap { tree["attributes"]?[$0]?.text }
        return (
            String(decoding: name, as: UTF8.self),
            value.map { String(decoding: $0, as: UTF8.self) }
        )
    }
}
