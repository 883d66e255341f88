import JSON

extension ByteText {
    /// As a JSON string with its quotes, in the one form in which texts are stored.
    package var json: [UInt8] {
        var out: [UInt8] = []
        JSON.Writer.append(bytes.span, to: &out)
        return out
    }
}
