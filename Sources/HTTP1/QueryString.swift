/// The query of a request target as `application/x-www-form-urlencoded`, the way the URL standard reads
/// it, except that nothing is mended: an escape that is none makes its name or value undecodable.
package enum QueryString {
    /// One `name=value`.
    package struct Pair: Equatable, Sendable {
        /// Nil where it has an invalid escape.
        package let name: [UInt8]?
        /// Empty without `=`; nil where it has an invalid escape.
        package let value: [UInt8]?
    }

    /// The pairs in order; empty ones are skipped.
    /// - Parameter query: what follows the `?`, raw
    package static func pairs(_ query: [UInt8]) -> [Pair] {
        query.split(separator: UInt8(ascii: "&")).map { part in
            let equals = part.firstIndex(of: Byte.equals) ?? part.endIndex
            return Pair(
                name: decoded(part[..<equals]), value: decoded(part[equals...].dropFirst()))
        }
    }

    /// Decodes `%XX` and `+`; nil where an escape is none.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "+"): out.append(Byte.space)
            case Byte.percent:
                guard index + 2 < bytes.endIndex, let high = Byte.hexValue(bytes[index + 1]),
                    let low = Byte.hexValue(bytes[index + 2])
                else { return nil }
                out.append(high << 4 | low)
                index += 2
            case let byte: out.append(byte)
            }
            index += 1
        }
        return out
    }
}
