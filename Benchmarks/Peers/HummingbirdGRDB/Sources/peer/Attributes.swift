/// What an event says beside its name and time: a flat object.
///
/// Decoded key by key and written as JSON by hand: with a dictionary of `Codable` values and
/// `JSONEncoder` an event took a third more CPU.
struct Attributes: Decodable, Sendable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let all: [(key: String, value: AttributeValue)]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        all = try container.allKeys.map { key in
            (key.stringValue, try container.decode(AttributeValue.self, forKey: key))
        }
    }

    subscript(key: String) -> AttributeValue? {
        all.first { $0.key == key }?.value
    }

    /// All but `key` as a JSON object; nil where there are no others.
    func text(without key: String) -> String? {
        var text = ""
        for attribute in all where attribute.key != key {
            text += text.isEmpty ? "{" : ","
            AttributeValue.string(attribute.key).write(to: &text)
            text += ":"
            attribute.value.write(to: &text)
        }
        return text.isEmpty ? nil : text + "}"
    }
}
