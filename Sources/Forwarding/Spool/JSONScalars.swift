import JSON

/// Texts of JSON strings as batches store them, whole values with their quotes.
struct JSONScalars: ~Copyable {
    private var scanner = Scanner()
    private var scratch: [UInt8] = []

    /// Calls `body` with what a string says, without quotes and escapes.
    /// - Returns: false where it is no string
    @inline(__always)
    mutating func withString(_ json: Span<UInt8>, _ body: (Span<UInt8>) -> Void) -> Bool {
        guard json.count >= 2, json[0] == UInt8(ascii: "\"") else { return false }
        let inner = json.extracting(1..<json.count - 1)
        for index in inner.indices where inner[index] == UInt8(ascii: "\\") {
            return withUnescaped(json, body)
        }
        body(inner)
        return true
    }

    /// Appends what a string says.
    /// - Returns: false where it is no string
    mutating func append(_ json: Span<UInt8>, to out: inout [UInt8]) -> Bool {
        withString(json) { text in text.withUnsafeBufferPointer { out += $0 } }
    }

    @inline(never)
    private mutating func withUnescaped(
        _ json: Span<UInt8>, _ body: (Span<UInt8>) -> Void
    ) -> Bool {
        do throws(Malformed) {
            try scanner.reset(json)
            guard let text = try scanner.value(json).text else { return false }
            let count = text.unescape(json, into: &scratch)
            body(scratch.span.extracting(0..<count))
            return true
        } catch {
            return false
        }
    }
}
