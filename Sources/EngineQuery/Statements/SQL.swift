import Engine
import Query

/// Pieces of statements. All texts that come from outside go through `quoted`.
enum SQL {
    /// A string literal.
    static func quoted(_ text: [UInt8]) -> String { EngineLiteral.text(text) }

    /// The same of a text.
    static func quoted(_ text: ByteText) -> String { EngineLiteral.text(text.bytes) }

    /// The same of a text.
    static func quoted(_ text: String) -> String { EngineLiteral.text(text) }

    /// A `FixedString(16)`.
    static func device(_ bytes: [UInt8]) -> String { "toFixedString(\(quoted(bytes)), 16)" }

    /// String literals with commas between.
    static func list(_ texts: [ByteText]) -> String {
        texts.map { quoted($0) }.joined(separator: ", ")
    }

    /// A column's text, `unknown` where the batch did not give it.
    static func known(_ column: String) -> String { "if(\(column) = '', 'unknown', \(column))" }

    /// A text that stands in order as a number and then a text do: engines compare texts much faster
    /// than tuples.
    /// - Parameter number: from −2^61 to 2^61, so that all have as many digits
    static func ordered(_ number: String, _ text: String) -> String {
        "concat(toString(\(number) + 4000000000000000000), \(text))"
    }

    /// The least of a sum and 2^53−1, which no sum goes beyond (docs/reports.md, The law).
    static func held(_ sum: String) -> String { "least(\(sum), 9007199254740991)" }

    /// Cuts a list so that the literals of no part take more than so many bytes, about.
    static func parts<T>(_ list: [T], size: (T) -> Int, within limit: Int) -> [[T]] {
        var parts: [[T]] = []
        var room = 0
        for one in list {
            // A byte is four in a literal, and a number may stand with it.
            let bytes = size(one) * 4 + 40
            if parts.isEmpty || bytes > room {
                parts.append([])
                room = limit
            }
            parts[parts.count - 1].append(one)
            room -= bytes
        }
        return parts
    }
}
