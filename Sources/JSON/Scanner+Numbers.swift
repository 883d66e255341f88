extension Scanner {
    /// A number; `position` is on its first byte, then after its last (RFC 8259 §6).
    mutating func number(_ bytes: Span<UInt8>) throws(Malformed) -> Token {
        let start = position
        var at = start
        let isNegative = bytes[at] == UInt8(ascii: "-")
        if isNegative { at &+= 1 }
        let first = at
        var magnitude: UInt64 = 0
        while bytes.count &- at >= 8, let eight = Scanner.eightDigits(bytes.bytes.word(at)) {
            magnitude = magnitude &* 100_000_000 &+ eight
            at &+= 8
        }
        while at < bytes.count {
            let digit = bytes[unchecked: at] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            // May wrap round beyond 19 digits; those are read again below.
            magnitude = magnitude &* 10 &+ UInt64(digit)
            at &+= 1
        }
        let digits = at &- first
        if digits == 0 { throw Scanner.missingDigit(bytes, at) }
        if digits > 1, bytes[first] == UInt8(ascii: "0") {
            throw Malformed(offset: first + 1, rule: .number)
        }
        if at < bytes.count {
            let byte = bytes[unchecked: at]
            if byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
                position = try Scanner.fractionEnd(bytes, from: at)
                return Token(.decimal, start: start, end: position)
            }
        }
        position = at
        if digits <= 18 {
            let value = Int64(bitPattern: magnitude)
            return Token(.integer, start: start, end: at, value: isNegative ? 0 &- value : value)
        }
        guard let value = Scanner.longInteger(bytes, first, at, isNegative) else {
            return Token(.hugeInteger, start: start, end: at)
        }
        return Token(.integer, start: start, end: at, value: value)
    }

    /// The value of eight bytes, the first lowest, if all of them are digits. Neighbours are put
    /// together thrice: to pairs, fours, all.
    @inline(__always)
    private static func eightDigits(_ word: UInt64) -> UInt64? {
        let high: UInt64 = 0xf0f0_f0f0_f0f0_f0f0
        let above = (word &+ 0x0606_0606_0606_0606) & high
        guard word & high | above >> 4 == 0x3333_3333_3333_3333 else { return nil }
        let pairs = ((word & 0x0f0f_0f0f_0f0f_0f0f) &* 2561) >> 8
        let fours = ((pairs & 0x00ff_00ff_00ff_00ff) &* 6_553_601) >> 16
        return ((fours & 0x0000_ffff_0000_ffff) &* 42_949_672_960_001) >> 32
    }

    /// The offset after fraction and exponent; the point or the `e` is at `from`.
    private static func fractionEnd(_ bytes: Span<UInt8>, from: Int) throws(Malformed) -> Int {
        var at = from
        if bytes[at] == UInt8(ascii: ".") { at = try digitsEnd(bytes, from: at + 1) }
        guard at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") else { return at }
        at += 1
        if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") {
            at += 1
        }
        return try digitsEnd(bytes, from: at)
    }

    private static func digitsEnd(_ bytes: Span<UInt8>, from: Int) throws(Malformed) -> Int {
        var at = from
        while at < bytes.count, bytes[at] &- UInt8(ascii: "0") < 10 { at += 1 }
        if at == from { throw missingDigit(bytes, at) }
        return at
    }

    private static func missingDigit(_ bytes: Span<UInt8>, _ at: Int) -> Malformed {
        Malformed(offset: at, rule: at < bytes.count ? .number : .truncated)
    }

    /// 19 digits or more, nil if 64 bits do not hold them.
    private static func longInteger(
        _ bytes: Span<UInt8>, _ first: Int, _ end: Int, _ isNegative: Bool
    ) -> Int64? {
        guard end - first == 19 else { return nil }
        var value: Int64 = 0
        for index in first..<end {
            let (tens, over) = value.multipliedReportingOverflow(by: 10)
            let digit = Int64(bytes[index] - UInt8(ascii: "0"))
            let (sum, beyond) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            if over || beyond { return nil }
            value = sum
        }
        return value
    }
}
