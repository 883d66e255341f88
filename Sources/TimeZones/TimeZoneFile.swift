/// What a TZif file says (RFC 9636), versions 1 to 4: the changes of offset that it lists, and the
/// rule after them. Leap seconds, names and indicators are skipped: no report needs them.
struct TimeZoneFile: Sendable {
    /// Instants of change, in seconds, ascending.
    let times: [Int64]
    /// The offset from each of `times` on, in seconds.
    let offsets: [Int]
    /// The offset before the first of them.
    let first: Int
    /// What holds after the last of them.
    let rule: PosixRule?

    /// A zone that is always that far from UTC.
    init(constant offset: Int) {
        (times, offsets, first, rule) = ([], [], offset, nil)
    }

    /// Throws `damaged` where the bytes are not TZif.
    init(parsing bytes: [UInt8]) throws(TimeZoneError) {
        var header = try Header(bytes, at: 0)
        var start = Header.size
        var width = 4
        if header.version >= 2 {
            // The first block is for readers of version 1; the second has 64-bit times.
            start += header.blockSize(width: 4)
            header = try Header(bytes, at: start)
            start += Header.size
            width = 8
        }
        let end = start + header.blockSize(width: width)
        guard end <= bytes.count, header.types >= 1 else { throw .damaged }

        let indexes = start + header.times * width
        let types = indexes + header.times
        var typeOffsets: [Int] = []
        for type in 0..<header.types {
            let seconds = Int(Int32(truncatingIfNeeded: Self.integer(bytes, types + type * 6, 4)))
            // RFC 9636 §3.2: from −25 h + 1 s to 26 h − 1 s.
            guard (-89_999...93_599).contains(seconds) else { throw .damaged }
            typeOffsets.append(seconds)
        }
        var times: [Int64] = []
        var offsets: [Int] = []
        for index in 0..<header.times {
            let time = Self.integer(bytes, start + index * width, width)
            let type = Int(bytes[indexes + index])
            guard type < typeOffsets.count else { throw .damaged }
            if let last = times.last, time <= last { throw .damaged }
            times.append(time)
            offsets.append(typeOffsets[type])
        }
        self.times = times
        self.offsets = offsets
        first = typeOffsets[0]
        rule = width == 8 ? try Self.footer(bytes, at: end) : nil
    }

    private static func footer(_ bytes: [UInt8], at start: Int) throws(TimeZoneError) -> PosixRule?
    {
        guard start < bytes.count, bytes[start] == 0x0A,
            let end = bytes[(start + 1)...].firstIndex(of: 0x0A)
        else { throw .damaged }
        if end == start + 1 { return nil }
        guard let rule = PosixRule(parsing: Array(bytes[(start + 1)..<end])) else { throw .damaged }
        return rule
    }

    /// A big-endian two's-complement integer of 4 or 8 bytes.
    private static func integer(_ bytes: [UInt8], _ start: Int, _ width: Int) -> Int64 {
        var value: UInt64 = 0
        for byte in bytes[start..<(start + width)] { value = value << 8 | UInt64(byte) }
        return width == 4
            ? Int64(Int32(truncatingIfNeeded: value)) : Int64(truncatingIfNeeded: value)
    }

    /// RFC 9636 §3.1.
    private struct Header {
        static let size = 44
        let version: Int
        let utIndicators, standardIndicators, leaps, times, types, characters: Int

        init(_ bytes: [UInt8], at start: Int) throws(TimeZoneError) {
            guard start >= 0, start + Self.size <= bytes.count,
                bytes[start] == 0x54, bytes[start + 1] == 0x5A, bytes[start + 2] == 0x69,
                bytes[start + 3] == 0x66
            else { throw .damaged }
            let byte = bytes[start + 4]
            version = byte >= 0x32 ? Int(byte) - 0x30 : 1
            func count(_ index: Int) -> Int {
                bytes[(start + 20 + index * 4)..<(start + 24 + index * 4)]
                    .reduce(0) { $0 << 8 | Int($1) }
            }
            utIndicators = count(0)
            standardIndicators = count(1)
            leaps = count(2)
            times = count(3)
            types = count(4)
            characters = count(5)
        }

        /// Size of the block after it, in bytes. The counts have 32 bits, so this cannot overflow.
        func blockSize(width: Int) -> Int {
            times * (width + 1) + types * 6 + characters + leaps * (width + 4)
                + standardIndicators + utIndicators
        }
    }
}
