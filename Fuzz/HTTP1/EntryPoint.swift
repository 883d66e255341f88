import FuzzSupport
import HTTP1

/// The octets of a connection, and behind them three for the choices: flags, and the seed of the
/// cuts. Flags, from the lowest bit: two bits for what is fuzzed (0 and 1 a connection, 2 that with
/// everything else that can happen to it, 3 the parser of heads and the decoder of chunks by
/// themselves), small limits, early answers, answers that come later, three bits for the length of
/// pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var draw = Draw(start, count)
    let flags = draw.octet()
    let seed = draw.number()
    let input = draw.rest
    let choices = Choices(
        limits: flags & 4 == 0 ? RequestLimits() : .small, bodyLimit: flags & 4 == 0 ? 4000 : 40,
        answersEarly: flags & 8 != 0, answersLater: flags & 16 != 0)
    let cuts = Cuts.some(input.count, seed: seed, longest: 1 << Int(flags >> 5))
    switch flags & 3 {
    case 2: Chaos.run(input, cuts, choices, seed: seed)
    case 3: Parsers.run(input, cuts, choices)
    default: Connections.run(input, cuts, choices)
    }
    return 0
}

/// How a connection is driven.
struct Choices {
    var limits: RequestLimits
    /// Octets of a body.
    var bodyLimit: Int
    /// The handler answers when it has seen the head.
    var answersEarly: Bool
    /// Answers come when the next piece has come, not at once.
    var answersLater: Bool

    /// Octets that a head may have at most, with empty lines before it.
    var headBound: Int {
        2 * limits.leadingEmptyLines + limits.requestLineBytes + 2 + limits.headerBytes + 2
    }
}

extension RequestLimits {
    /// So small that a fuzzer meets them.
    static var small: RequestLimits {
        var limits = RequestLimits()
        limits.requestLineBytes = 48
        limits.headerBytes = 96
        limits.headerFields = 4
        limits.leadingEmptyLines = 2
        limits.extensionBytes = 8
        limits.drainBytes = 24
        limits.lingerBytes = 64
        return limits
    }
}
