/// How far a device's clock is off, and whether somebody sets it.
///
/// The server moves the events of a clock that is off by more than a minute, by how much it finds it off;
/// that contains the time that a request takes. Two errors of one device that large differ by whole quarters
/// of an hour, so that what is recorded under the one and sent under the other does not come to lie near
/// an edge of a bucket, either.
struct ClockTraits: Sendable, Equatable {
    /// By how much it is ahead at first, ms.
    let error: Int64
    /// On which day of the device's use somebody sets it, from 0; nil for never.
    let setOn: Int?
    /// By how much it is ahead from then on.
    let errorAfter: Int64

    /// Up to this the server takes times as they are, whatever the way takes.
    private static let small = 45_000
    private static let quarter: Int64 = 900_000

    init(_ shares: Shares, _ random: inout SeededRandom) {
        let isWrong = random.chance(perMyriad: shares.wrongClocks)
        let isSet = random.chance(perMyriad: shares.setClocks)
        // What all large errors have in common: far from a minute, and from a quarter of an hour. From
        // none to a large one it is whole quarters.
        let rest = isWrong ? Int64(random.within(75_000...825_000)) : 0
        error =
            isWrong
            ? Self.draw(rest, &random) : isSet ? 0 : Int64(random.within(-900...900))
        setOn = isSet ? random.below(20) : nil
        // Seconds are no whole quarter: they become other seconds.
        let isMended = isWrong && (random.chance(perMille: 700) || !Self.isLarge(error))
        errorAfter =
            isMended ? Int64(random.within(-2_000...2_000)) : Self.draw(rest, &random)
    }

    /// Whether the server may have to move what it records.
    var isCorrected: Bool {
        Self.isLarge(error) || setOn != nil && Self.isLarge(errorAfter)
    }

    private static func isLarge(_ error: Int64) -> Bool { error.magnitude > UInt64(small) }

    private static func draw(_ rest: Int64, _ random: inout SeededRandom) -> Int64 {
        let quarters: Int
        switch random.below(100) {
        case ..<40: return Int64(random.within(-small...small))
        // Minutes, hours, days, years.
        case ..<65: quarters = 4
        case ..<80: quarters = 96
        case ..<92: quarters = 60 * 96
        default: quarters = 8 * 365 * 96
        }
        let count = random.within(1...quarters)
        return rest + Int64(random.chance(perMille: 500) ? count : -count - 1) * quarter
    }
}
