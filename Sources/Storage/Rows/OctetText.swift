import Glibc

/// A text as a key of a dictionary: equal only to one of the same UTF-8 octets, as in the database.
/// `String` holds canonically equivalent texts for one: the sign of the kelvin would find a K.
struct OctetText: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: OctetText, right: OctetText) -> Bool {
        let (left, right) = (left.text.utf8.span, right.text.utf8.span)
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let one = left.baseAddress, let other = right.baseAddress else { return true }
                return memcmp(one, other, left.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
