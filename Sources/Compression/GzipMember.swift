import CZlib

/// Where the parts of one gzip member lie (RFC 1952 §2.3). The header is judged here, once for
/// every backend, because libdeflate skips FHCRC unread and zlib ignores what it does not know.
struct GzipMember {
    /// The deflate stream, in bytes of the body.
    let deflated: Range<Int>
    /// CRC-32 of the inflated bytes, as the trailer says.
    let checksum: UInt32
    /// Inflated length modulo 2^32, as the trailer says.
    let inflatedSize: UInt32

    private static let trailerSize = 8
    private enum Flag {
        static let headerChecksum: UInt8 = 0x02
        static let extra: UInt8 = 0x04
        static let name: UInt8 = 0x08
        static let comment: UInt8 = 0x10
        static let reserved: UInt8 = 0xe0
    }

    /// Reads header and trailer of a body that has to be one member from its first byte to its
    /// last.
    init(_ body: Span<UInt8>) throws(InflateError) {
        guard body.count >= 10 + Self.trailerSize, body[0] == 0x1f, body[1] == 0x8b, body[2] == 8
        else { throw .damaged }
        let flags = body[3]
        guard flags & Flag.reserved == 0 else { throw .damaged }
        let end = body.count - Self.trailerSize
        var at = 10
        if flags & Flag.extra != 0 {
            guard end - at >= 2 else { throw .damaged }
            at += 2 + (Int(body[at]) | Int(body[at + 1]) << 8)
        }
        for flag in [Flag.name, Flag.comment] where flags & flag != 0 {
            while at < end, body[at] != 0 { at += 1 }
            at += 1
        }
        guard at <= end else { throw .damaged }
        if flags & Flag.headerChecksum != 0 {
            guard end - at >= 2 else { throw .damaged }
            let sum = body.withUnsafeBufferPointer { crc32_z(0, $0.baseAddress, at) } & 0xffff
            guard sum == UInt(body[at]) | UInt(body[at + 1]) << 8 else { throw .damaged }
            at += 2
        }
        deflated = at..<end
        checksum = Self.littleEndian(body, at: end)
        inflatedSize = Self.littleEndian(body, at: end + 4)
    }

    private static func littleEndian(_ body: Span<UInt8>, at: Int) -> UInt32 {
        UInt32(body[at]) | UInt32(body[at + 1]) << 8 | UInt32(body[at + 2]) << 16
            | UInt32(body[at + 3]) << 24
    }
}
