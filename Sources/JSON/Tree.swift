/// A JSON text as values, for texts that are small and not hot. It keeps strings and objects; it
/// checks numbers, literals and arrays and drops them.
package enum Tree: Sendable {
    /// UTF-8, without escapes.
    case text([UInt8])
    /// By name as UTF-8 without escapes: a `String` would equal others of other bytes.
    case object([[UInt8]: Tree])
    /// A number, a literal or an array.
    case other

    /// Reads one text to its end.
    /// - Parameter allowsZero: accept an escaped U+0000, which I-JSON allows and batches may not have
    package init(_ bytes: Span<UInt8>, allowsZero: Bool = false) throws(Malformed) {
        var scanner = Scanner(escapes: allowsZero ? .scalars : .storable)
        try scanner.reset(bytes)
        self = try Tree.value(bytes, &scanner)
        try scanner.finish(bytes)
    }

    /// The scanner bounds the depth, so this recursion ends.
    private static func value(
        _ bytes: Span<UInt8>, _ scanner: inout Scanner
    ) throws(Malformed) -> Tree {
        let token = try scanner.value(bytes)
        if let text = token.text { return .text(unescaped(text, bytes)) }
        guard token.kind == .object else {
            try scanner.skipRest(of: token, bytes)
            return .other
        }
        var members: [[UInt8]: Tree] = [:]
        while let name = try scanner.member(bytes) {
            members[unescaped(name.text, bytes)] = try value(bytes, &scanner)
        }
        return .object(members)
    }

    private static func unescaped(_ text: Text, _ bytes: Span<UInt8>) -> [UInt8] {
        guard text.hasEscapes else {
            return bytes.extracting(text.range).withUnsafeBufferPointer { Array($0) }
        }
        var room: [UInt8] = []
        let count = text.unescape(bytes, into: &room)
        return Array(room[..<count])
    }

    /// The names of an object's members; none for other values.
    package var names: [[UInt8]] {
        guard case .object(let members) = self else { return [] }
        return Array(members.keys)
    }

    /// A member of an object; nil where it is absent or this is no object.
    package subscript(_ name: String) -> Tree? {
        guard case .object(let members) = self else { return nil }
        return members[Array(name.utf8)]
    }

    /// The string; nil for other values.
    package var text: [UInt8]? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
