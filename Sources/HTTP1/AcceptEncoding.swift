/// What a client says of content codings in `Accept-Encoding`, all its lines (RFC 9110 §12.5.3).
///
/// A member that cannot be read counts as absent; of one that is named twice the lower weight counts.
package struct AcceptEncoding {
    /// Thousandths; nil for what is not named.
    private var gzip: Int?
    private var identity: Int?
    /// Of `*`.
    private var others: Int?

    package init(_ head: borrowing RequestHead, _ bytes: Span<UInt8>) {
        for field in head.fields where field.name == .acceptEncoding {
            Words.forEachMember(bytes, field.value) { member in
                note(bytes, member)
                return true
            }
        }
    }

    /// Whether an answer goes out as gzip: the client takes it, and does not prefer what is not coded.
    package var prefersGzip: Bool {
        guard let gzip = gzip ?? others, gzip > 0 else { return false }
        return gzip >= identity ?? 0
    }

    private mutating func note(_ bytes: Span<UInt8>, _ member: Range<Int>) {
        var end = member.lowerBound
        while end < member.upperBound, bytes[end] != Byte.semicolon { end += 1 }
        let name = Words.trimmed(bytes, member.lowerBound..<end)
        guard let weight = Self.weight(bytes, end..<member.upperBound) else { return }
        // RFC 9110 §8.4.1.3: an old name for the same.
        if Words.equal(bytes, name, "gzip") || Words.equal(bytes, name, "x-gzip") {
            gzip = min(gzip ?? weight, weight)
        } else if Words.equal(bytes, name, "identity") {
            identity = min(identity ?? weight, weight)
        } else if Words.equal(bytes, name, "*") {
            others = min(others ?? weight, weight)
        }
    }

    /// Of nothing or `;q=0.5`, in thousandths; nil for anything else (RFC 9110 §12.4.2).
    private static func weight(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        if range.isEmpty { return 1000 }
        let text = Words.trimmed(bytes, range.lowerBound + 1..<range.upperBound)
        guard text.count >= 3, text.count <= 7,
            Words.equal(bytes, text.lowerBound..<text.lowerBound + 2, "q=")
        else { return nil }
        let first = bytes[text.lowerBound + 2]
        guard first == 0x30 || first == 0x31 else { return nil }
        var weight = first == 0x31 ? 1000 : 0
        guard text.count > 3 else { return weight }
        guard bytes[text.lowerBound + 3] == 0x2E else { return nil }
        var worth = 100
        for position in text.lowerBound + 4..<text.upperBound {
            guard CharacterClass.isDigit(bytes[position]) else { return nil }
            weight += Int(bytes[position] - 0x30) * worth
            worth /= 10
        }
        return weight <= 1000 ? weight : nil
    }
}
