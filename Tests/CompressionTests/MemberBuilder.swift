import CZlib

/// One gzip member in pieces, each of which a test can break (RFC 1952 §2.3).
struct MemberBuilder {
    enum HeaderChecksum { case right, wrong }

    var content: [UInt8]
    /// The deflate stream if it is not the usual one.
    var deflated: [UInt8]?
    var magic: [UInt8] = [0x1f, 0x8b]
    var method: UInt8 = 8
    var isText = false
    var reserved: UInt8 = 0
    var extra: [UInt8]?
    var name: [UInt8]?
    var comment: [UInt8]?
    var headerChecksum: HeaderChecksum?
    var checksum: UInt32?
    var inflatedSize: UInt32?
    var trailing: [UInt8] = []

    init(_ content: [UInt8]) { self.content = content }

    var octets: [UInt8] {
        var flags = reserved
        if isText { flags |= 1 }
        if headerChecksum != nil { flags |= 2 }
        if extra != nil { flags |= 4 }
        if name != nil { flags |= 8 }
        if comment != nil { flags |= 16 }
        var out = magic + [method, flags, 1, 2, 3, 4, 0, 255]
        if let extra { out += [UInt8(extra.count & 255), UInt8(extra.count >> 8)] + extra }
        if let name { out += name + [0] }
        if let comment { out += comment + [0] }
        if let headerChecksum {
            var sum = UInt16(truncatingIfNeeded: crc32(0, out, uInt(out.count)))
            if headerChecksum == .wrong { sum ^= 0x0100 }
            out += [UInt8(sum & 255), UInt8(sum >> 8)]
        }
        out += deflated ?? rawDeflate(content)
        out += little(
            checksum ?? UInt32(truncatingIfNeeded: crc32(0, content, uInt(content.count))))
        return out + little(inflatedSize ?? UInt32(content.count)) + trailing
    }

    private func little(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}

/// A deflate stream by zlib alone, with any strategy.
func rawDeflate(_ content: [UInt8], level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY)
    -> [UInt8]
{
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    defer {
        deflateEnd(stream)
        stream.deallocate()
    }
    deflateInit2_(
        stream, level, Z_DEFLATED, -15, 9, strategy, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
    var input = content
    var out = [UInt8](repeating: 0, count: Int(deflateBound(stream, uLong(content.count))) + 64)
    let room = out.count
    input.withUnsafeMutableBufferPointer { input in
        out.withUnsafeMutableBufferPointer { out in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = uInt(input.count)
            stream.pointee.next_out = out.baseAddress
            stream.pointee.avail_out = uInt(room)
            deflate(stream, Z_FINISH)
        }
    }
    return Array(out[..<(room - Int(stream.pointee.avail_out))])
}
