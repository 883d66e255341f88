extension Span<UInt8> {
    /// Whether a range holds these bytes.
    func isEqual(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
        guard range.count == bytes.count else { return false }
        var index = range.lowerBound
        for byte in bytes {
            if self[index] != byte { return false }
            index += 1
        }
        return true
    }
}
