import Events
import Query

/// An attribute of an event as an expression.
struct AttributeValue {
    private let key: ByteText

    init(_ key: ByteText) { self.key = key }

    private var isSession: Bool { key == ByteText(StandardAttribute.sessionID.key) }

    /// The columns of an event that it needs.
    var columns: [Source.EventColumn] { isSession ? [.session] : [.keys, .values] }

    private var index: String { "indexOf(e_keys, \(SQL.quoted(key)))" }

    /// A letter and the text by which events are grouped; empty for an event without the attribute. The letter
    /// is always the same: a number and the equal string are one value.
    var name: String {
        if isSession { return "if(e_session = '', '', concat('v', e_session))" }
        return """
            if(has(e_keys, \(SQL.quoted(key))), \
            concat('v', substring(e_values[\(index)], 2)), '')
            """
    }

    /// Whether the value is a text, or is a number or a boolean that is written so.
    func isEqual(to value: ByteText) -> String {
        let value = SQL.quoted(value)
        if isSession { return "(e_session != '' AND e_session = \(value))" }
        return """
            (has(e_keys, \(SQL.quoted(key))) AND substring(e_values[\(index)], 2) = \(value))
            """
    }

    /// Whether the value is a number. No `session.id` is.
    var isNumber: String {
        isSession ? "0" : "substring(e_values[\(index)], 1, 1) = 'n'"
    }

    /// The number, with the columns `keys` and `numbers`; another where there is none.
    var number: String { isSession ? "toFloat64(0)" : "e_numbers[\(index)]" }

    /// The text of a name; nil for events without the attribute.
    static func text(of name: ByteText) -> ByteText? {
        name.bytes.isEmpty ? nil : ByteText(bytes: Array(name.bytes.dropFirst()))
    }
}
