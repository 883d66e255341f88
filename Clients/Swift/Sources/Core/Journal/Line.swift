/// A line of a segment: the CRC-32 of what follows it in eight hexadecimal digits, a space, a letter for
/// the kind, a space, the text, a line feed.
///
///     9ae0daaf H {"os.name":"iOS",…}      the resource, first in each segment
///     1c3d8f02 E {"name":"screen.view",…} an event
///     77a1c9d0 D 3                        three events were dropped before they could be written
///
/// What has no line feed was never appended. A line whose checksum fails is damaged.
package struct Line: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case resource
        case event
        /// So many events were dropped.
        case drops(Int64)
        /// Whatever it was, it is not that any more.
        case damaged
    }

    package let kind: Kind
    /// The range of the whole line, its line feed included.
    package let range: Range<Int>

    /// Events that a line says are gone at most, so that no sum of lines leaves 64 bits.
    package static let maxDrops: Int64 = 1_000_000_000

    /// Bytes in front of the text.
    private static let opening = 11

    /// The range of the text.
    package var text: Range<Int> {
        range.upperBound - 1 - range.lowerBound < Self.opening
            ? range.lowerBound..<range.lowerBound
            : range.lowerBound + Self.opening..<range.upperBound - 1
    }

    /// Appends a line of an event's or a resource's JSON.
    package static func append(_ text: [UInt8], isEvent: Bool, to out: inout [UInt8]) {
        append(UInt8(ascii: isEvent ? "E" : "H"), text, to: &out)
    }

    /// Appends a line that says that so many events were dropped.
    package static func append(drops count: Int64, to out: inout [UInt8]) {
        append(UInt8(ascii: "D"), Array(String(count).utf8), to: &out)
    }

    private static func append(_ letter: UInt8, _ text: [UInt8], to out: inout [UInt8]) {
        var content: [UInt8] = [letter, UInt8(ascii: " ")]
        content += text
        Hex.append(CRC32.checksum(content[...]), to: &out)
        out.append(UInt8(ascii: " "))
        out += content
        out.append(UInt8(ascii: "\n"))
    }

    /// The whole lines of `bytes` from `start` to `end`; what follows the last line feed is none.
    package static func read(_ bytes: [UInt8], from start: Int, to end: Int? = nil) -> [Line] {
        let end = min(end ?? bytes.count, bytes.count)
        guard start < end else { return [] }
        var lines: [Line] = []
        var begin = start
        for at in start..<end where bytes[at] == UInt8(ascii: "\n") {
            let range = begin..<at + 1
            lines.append(Line(kind: kind(bytes[begin..<at]), range: range))
            begin = at + 1
        }
        return lines
    }

    private static func kind(_ line: ArraySlice<UInt8>) -> Kind {
        let content = line.dropFirst(9)
        guard line.count >= opening, line[line.startIndex + 8] == UInt8(ascii: " "),
            Hex.isText(line.prefix(8), of: CRC32.checksum(content)),
            content[content.startIndex + 1] == UInt8(ascii: " ")
        else { return .damaged }
        switch line[content.startIndex] {
        case UInt8(ascii: "H"): return .resource
        case UInt8(ascii: "E"): return .event
        case UInt8(ascii: "D"):
            guard let count = Decimal.value(content.dropFirst(2)), count <= maxDrops else {
                return .damaged
            }
            return .drops(count)
        default: return .damaged
        }
    }
}
