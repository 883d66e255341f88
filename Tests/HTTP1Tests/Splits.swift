import HTTP1

/// Ways of cutting octets into pieces.
enum Splits {
    /// Whole, byte by byte, and at every single place.
    static func all(_ octets: [UInt8]) -> [[Int]] {
        [[octets.count], Array(1...max(1, octets.count))]
            + (1..<max(2, octets.count)).map { [$0, octets.count] }
    }
}

/// What a parser made of a head, and how far it looked.
struct HeadOutcome: Equatable, CustomStringConvertible {
    var step: HeadParser.Step
    var position: Int
    var fields: Int

    var description: String { "\(step) at \(position), \(fields) fields" }
}

/// Parses `octets`, of which ever more are there, as far as each of `cuts`.
func parse(
    _ octets: [UInt8], cuts: [Int]? = nil, limits: RequestLimits = RequestLimits()
) -> (HeadOutcome, HeadParser) {
    var parser = HeadParser()
    var step = HeadParser.Step.more
    for cut in cuts ?? [octets.count] {
        // A copy of exactly this size: a look beyond it would trap.
        let piece = Array(octets[..<cut])
        step = parser.parse(piece.span, limits: limits)
        if step != .more { break }
    }
    return (
        HeadOutcome(step: step, position: parser.position, fields: parser.head.fields.count), parser
    )
}

func parse(_ text: String, limits: RequestLimits = RequestLimits()) -> (HeadOutcome, HeadParser) {
    parse(Array(text.utf8), limits: limits)
}

extension Range<Int> {
    /// The octets of the range as text.
    func text(in octets: [UInt8]) -> String { String(decoding: octets[self], as: UTF8.self) }
}
