import CZlib

/// One zlib stream for raw deflate, reset for each body. It goes on where the room ended.
final class ZlibInflate {
    /// At an address of its own: zlib keeps a pointer back to it.
    private let stream: UnsafeMutablePointer<z_stream>

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(
            stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "no memory for an inflater")
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Inflates a raw deflate stream that fills the input to its end (RFC 1951).
    func inflate(
        _ input: UnsafeBufferPointer<UInt8>, hint: Int?, limit: Int, into scratch: inout [UInt8]
    ) throws(InflateError) -> Int {
        guard input.count <= Int(UInt32.max) else { throw .tooLarge }
        inflateReset(stream)
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        // One byte past the limit tells a body that ends there from one that goes on.
        let ceiling = min(limit, Int(Int32.max) - 1) + 1
        var room = InflateRoom.first(input: input.count, hint: hint, ceiling: ceiling)
        var made = 0
        while true {
            InflateRoom.grow(&scratch, to: room, keeping: made)
            let available = min(scratch.count, ceiling)
            let status = scratch.withUnsafeMutableBufferPointer { out in
                stream.pointee.next_out = out.baseAddress.map { $0 + made }
                stream.pointee.avail_out = uInt(available - made)
                return CZlib.inflate(stream, Z_FINISH)
            }
            made = available - Int(stream.pointee.avail_out)
            guard made <= limit else { throw .tooLarge }
            switch status {
            case Z_STREAM_END where stream.pointee.avail_in == 0: return made
            case Z_OK, Z_BUF_ERROR:
                guard stream.pointee.avail_out == 0 else { throw .damaged }
                guard available < ceiling else { throw .tooLarge }
                room = InflateRoom.next(after: available, ceiling: ceiling)
            default: throw .damaged
            }
        }
    }

    static func crc32(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.baseAddress, bytes.count))
    }
}
