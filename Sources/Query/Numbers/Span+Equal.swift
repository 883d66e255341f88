extension Span<UInt8> {
    /// Whether the octets of a range are these.
    func isEqual(_ range: Range<Int>, _ octets: [UInt8]) -> Bool {
        guard range.count == octets.count else { return false }
        var place = range.lowerBound
        for octet in octets {
            if self[place] != octet { return false }
            place += 1
        }
        return true
    }
}
