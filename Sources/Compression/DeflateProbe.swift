#if canImport(CDeflate)
/// Tells streams whose every fault libdeflate finds. It takes some that RFC 1951 rules out: symbols
/// that are reserved (286, 287; distances 30, 31), and codes with a gap where the gap is used. A
/// stream of a single block whose codes are complete and without those symbols can hold neither,
/// and that is what compressors make of any body of a few KiB; the rest is for zlib, which is
/// strict.
struct DeflateProbe {
    private let input: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var bits: UInt64 = 0
    private var available = 0

    /// Where the lengths of the length code stand (RFC 1951 §3.2.7), four bits for each from the
    /// last.
    private static let order: [UInt8] = [
        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
    ]

    /// Whether libdeflate may judge the stream.
    static func leavesNoDoubt(_ input: UnsafeBufferPointer<UInt8>) -> Bool {
        var probe = DeflateProbe(input: input)
        return probe.run()
    }

    private init(input: UnsafeBufferPointer<UInt8>) { self.input = input }

    private mutating func run() -> Bool {
        refill()
        guard take(1) == 1 else { return false }
        switch take(2) {
        case 0: return true
        case 2: break
        default: return false
        }
        let literals = take(5) + 257
        let distances = take(5) + 1
        let given = take(4) + 4
        guard literals <= 286, distances <= 30 else { return false }
        return Self.order.withUnsafeBufferPointer { order in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 19 + 128) { room in
                room.initialize(repeating: 0)
                let lengths = UnsafeMutableBufferPointer(rebasing: room[..<19])
                let table = UnsafeMutableBufferPointer(rebasing: room[19...])
                for place in 0..<given {
                    refill()
                    lengths[Int(order[place])] = UInt8(take(3))
                }
                return Self.fill(table, from: lengths)
                    && codes(literals: literals, distances: distances, table: table)
            }
        }
    }

    /// Makes the length code's table: for the next seven bits the symbol (low five bits) and its
    /// length. False where the code has a gap or too many words.
    private static func fill(
        _ table: UnsafeMutableBufferPointer<UInt8>, from lengths: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var code = 0
        for length in 1...7 {
            for symbol in 0..<19 where Int(lengths[symbol]) == length {
                guard code < 1 << length else { return false }
                var place = 0
                for bit in 0..<length where code >> bit & 1 == 1 {
                    place |= 1 << (length - 1 - bit)
                }
                while place < 128 {
                    table[place] = UInt8(length << 5 | symbol)
                    place += 1 << length
                }
                code += 1
            }
            code <<= 1
        }
        return code == 1 << 8
    }

    /// Reads the lengths of both codes and sums their words: true where they fill their space
    /// exactly.
    private mutating func codes(
        literals: Int, distances: Int, table: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var literalSpace = 0
        var distanceSpace = 0
        var place = 0
        var last = 0
        while place < literals + distances {
            refill()
            let entry = Int(table[Int(bits & 127)])
            _ = take(entry >> 5)
            let symbol = entry & 31
            var run = 1
            switch symbol {
            case 16: run = take(2) + 3
            case 17:
                run = take(3) + 3
                last = 0
            case 18:
                run = take(7) + 11
                last = 0
            default: last = symbol
            }
            let end = place + run
            if last > 0 {
                let inLiterals = max(0, min(end, literals) - place)
                literalSpace += inLiterals << (15 - last)
                distanceSpace += (run - inLiterals) << (15 - last)
            }
            place = end
        }
        return place == literals + distances && available >= 0 && literalSpace == 1 << 15
            && distanceSpace == 1 << 15
    }

    /// Makes at least 56 bits ready; past the end they are zeros and `available` falls below zero.
    private mutating func refill() {
        while available <= 56, at < input.count {
            bits |= UInt64(input[at]) << UInt64(available)
            available += 8
            at += 1
        }
    }

    private mutating func take(_ count: Int) -> Int {
        let value = Int(bits & (1 << UInt64(count) - 1))
        bits >>= UInt64(count)
        available -= count
        return value
    }
}
#endif
