import CZlib

/// Raw deflate (RFC 1951), what `zip: DEF` of a JWE is.
package enum Deflate {
    /// - Parameter level: 0 (stored) to 9 (smallest).
    package static func compress(_ content: Span<UInt8>, level: Int = 6) -> [UInt8] {
        run(content, level: level, windowBits: -15)
    }

    /// - Parameter windowBits: What zlib calls so: negative for raw deflate, 16 more for gzip.
    static func run(_ content: Span<UInt8>, level: Int, windowBits: Int32) -> [UInt8] {
        precondition(content.count <= Int(Int32.max), "bodies to compress are far below 2 GiB")
        // At one address for its whole life: zlib keeps a pointer back to it.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = deflateInit2_(
            stream, Int32(min(max(level, 0), 9)), Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY,
            ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "no memory for a compressor")
        defer {
            deflateEnd(stream)
            stream.deallocate()
        }
        let room = Int(deflateBound(stream, uLong(content.count)))
        return [UInt8](unsafeUninitializedCapacity: room) { out, count in
            content.withUnsafeBufferPointer { input in
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = uInt(input.count)
                stream.pointee.next_out = out.baseAddress
                stream.pointee.avail_out = uInt(room)
                let status = deflate(stream, Z_FINISH)
                precondition(status == Z_STREAM_END, "deflateBound gave too little room")
            }
            count = room - Int(stream.pointee.avail_out)
        }
    }
}

/// Compresses bodies as a device does (docs/protocol.md, gzip).
package enum Gzip {
    /// One gzip member without name and time, so that the same content gives the same bytes.
    ///
    /// - Parameter level: 0 (stored) to 9 (smallest).
    package static func compress(_ content: Span<UInt8>, level: Int = 6) -> [UInt8] {
        Deflate.run(content, level: level, windowBits: 15 + 16)
    }
}
