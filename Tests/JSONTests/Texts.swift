import JSON
import Testing

/// Scans a text whole.
func scan(_ octets: [UInt8], depthLimit: Int = Scanner.maxDepth) throws(Malformed) {
    var scanner = Scanner(depthLimit: depthLimit)
    let bytes = octets.span
    try scanner.reset(bytes)
    try scanner.skipValue(bytes)
    try scanner.finish(bytes)
}

/// Where and why a text is refused; nil if it is not.
func refusal(_ octets: [UInt8], depthLimit: Int = Scanner.maxDepth) -> Malformed? {
    do throws(Malformed) {
        try scan(octets, depthLimit: depthLimit)
        return nil
    } catch {
        return error
    }
}

func refusal(_ text: String, depthLimit: Int = Scanner.maxDepth) -> Malformed? {
    refusal(Array(text.utf8), depthLimit: depthLimit)
}

/// A case of the public parsing suites (the names are those of JSONTestSuite where it has the
/// case).
struct ParsingCase: CustomTestStringConvertible, Sendable {
    let name: String
    let octets: [UInt8]

    init(_ name: String, _ text: String) {
        self.name = name
        octets = Array(text.utf8)
    }

    init(_ name: String, octets: [UInt8]) {
        self.name = name
        self.octets = octets
    }

    var testDescription: String { name }
}
