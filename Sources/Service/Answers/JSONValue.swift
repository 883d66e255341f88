import JSON

/// A small JSON value whose members keep their order: what commands print and control answers.
package indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case text(String)
    /// Written as seconds, with a fraction only where there is one.
    case seconds(milliseconds: Int64)
    /// JSON text already.
    case raw(String)
    case array([JSONValue])
    case object([(String, JSONValue)])
}

extension JSONValue {
    /// As JSON text.
    package var text: String {
        var writer = JSON.Writer()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    func write(to writer: inout JSON.Writer) {
        switch self {
        case .null: writer.null()
        case .bool(let bool): writer.bool(bool)
        case .integer(let integer): writer.integer(integer)
        case .text(let text): writer.string(text)
        case .seconds(let milliseconds):
            if milliseconds % 1000 == 0 {
                writer.integer(milliseconds / 1000)
            } else {
                writer.fixed(milliseconds, decimals: 3)
            }
        case .raw(let text): writer.raw(text.utf8)
        case .array(let values):
            writer.beginArray()
            for value in values { value.write(to: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.name(name)
                value.write(to: &writer)
            }
            writer.endObject()
        }
    }
}
