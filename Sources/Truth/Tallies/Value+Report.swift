import Client
import JSON

extension Client.Value {
    /// The text that a report shows: numbers and booleans as RFC 8785 writes them.
    var asText: String {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .double(let number): shortForm(number)
        }
    }

    /// The double nearest to a number, 0 for −0; nil for what is no number.
    var asNumber: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .double(let number): number + 0
        case .string, .boolean: nil
        }
    }
}

/// A finite number as RFC 8785 writes it.
func shortForm(_ number: Double) -> String {
    var bytes: [UInt8] = []
    DecimalForm.append(number, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
}
