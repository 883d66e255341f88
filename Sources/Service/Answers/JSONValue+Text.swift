import JSON

extension JSONValue {
    /// A setting's value: numbers as numbers, several addresses as an array.
    package static func setting(_ value: SettingValue) -> JSONValue {
        switch value {
        case .text(let text): .text(text)
        case .texts(let texts): .array(texts.map(JSONValue.text))
        case .number(let number): .integer(number)
        case .off: .text("off")
        }
    }

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
