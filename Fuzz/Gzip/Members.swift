import FuzzSupport

/// A stream in a gzip member: with a right trailer it inflates to what it does by itself, with a
/// wrong one to nothing.
enum Members {
    static func check(stream: [UInt8], limit: Int, flags: UInt8) {
        let raw = Inflation.agreed(stream, .raw, limit: limit)
        guard case .content(let content) = raw else {
            let member = header(flags) + stream + [UInt8](repeating: 0, count: 8)
            let outcome = Inflation.agreed(member, .gzip, limit: limit)
            expect(outcome == raw, "\(raw) in a member is \(outcome)")
            return
        }
        var member = header(flags) + stream
        let trailer = member.count
        for number in [crc32(content), UInt32(truncatingIfNeeded: content.count)] {
            for shift in [0, 8, 16, 24] {
                member.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        let whole = Inflation.agreed(member, .gzip, limit: limit)
        expect(whole == raw, "\(raw) in a member is \(whole)")
        member[trailer + Int(flags >> 5)] ^= 1 << (flags >> 2 & 7)
        let wrong = Inflation.agreed(member, .gzip, limit: limit)
        expect(wrong == .refused(.damaged), "with a wrong trailer it is \(wrong)")
    }

    /// With and without the fields that may stand in a header (RFC 1952 §2.3.1).
    private static func header(_ flags: UInt8) -> [UInt8] {
        let flags = flags >> 2 & 0x1e
        var header: [UInt8] = [0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3]
        if flags & 4 != 0 { header += [3, 0, 1, 2, 3] }
        if flags & 8 != 0 { header += Array("name".utf8) + [0] }
        if flags & 16 != 0 { header += [0] }
        if flags & 2 != 0 {
            let sum = crc32(header)
            header += [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)]
        }
        return header
    }

    /// Bit by bit, as RFC 1952 §8 defines it: neither library's.
    private static func crc32(_ octets: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xffff_ffff
        for octet in octets {
            sum ^= UInt32(octet)
            for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 1 ? 0xedb8_8320 : 0) }
        }
        return ~sum
    }
}
