import FuzzSupport
import HTTP1

/// The parser of heads and the decoder of chunks by themselves.
enum Parsers {
    static func run(_ input: [UInt8], _ cuts: [Int], _ choices: Choices) {
        for run in [head, chunks] {
            let whole = run(input, Cuts.whole(input.count), choices)
            let pieces = run(input, cuts, choices)
            expect(whole == pieces, "cut at \(cuts): \(whole) became \(pieces)")
        }
    }

    private static func head(_ input: [UInt8], _ cuts: [Int], _ choices: Choices) -> String {
        var parser = HeadParser()
        for cut in cuts {
            let piece = Array(input[..<cut])
            let before = parser.position
            let step = parser.parse(piece.span, limits: choices.limits)
            expect(
                before <= parser.position && parser.position <= cut, "\(parser.position) of \(cut)")
            expect(parser.position <= choices.headBound, "\(parser.position) octets of a head")
            switch step {
            case .more: expect(parser.position == cut, "octets that were not looked at")
            case .done:
                return HeadPromises.describe(parser.head, piece, choices)
            case .refused(let refusal): return "\(refusal) at \(parser.position)"
            }
        }
        return "more"
    }

    private static func chunks(_ input: [UInt8], _ cuts: [Int], _ choices: Choices) -> String {
        var decoder = ChunkDecoder(limits: choices.limits, bodyLimit: choices.bodyLimit)
        var body: [UInt8] = []
        var at = 0
        for cut in cuts {
            let piece = Array(input[..<cut])
            while true {
                let before = at
                let step = decoder.next(piece.span, at: &at)
                expect(before <= at && at <= cut, "\(at) of \(cut)")
                switch step {
                case .more:
                    expect(at == cut, "octets that were not looked at")
                case .payload(let range):
                    expect(!range.isEmpty && range.upperBound == at, "a payload at \(range)")
                    body += piece[range]
                    expect(body.count <= choices.bodyLimit, "a body of \(body.count) octets")
                    continue
                case .end: return "end at \(at): \(body)"
                case .refused(let refusal): return "\(refusal) at \(at): \(body)"
                }
                break
            }
        }
        return "more: \(body)"
    }
}
