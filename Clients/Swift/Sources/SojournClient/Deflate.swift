#if canImport(CZlib)
import CZlib
#else
import zlib
#endif

/// The system's zlib.
enum Deflate {
    enum Form: Int32 {
        /// RFC 1952.
        case gzip = 31
        /// RFC 1951 alone.
        case raw = -15
    }

    /// Compresses a text; nil where there is no memory for it.
    static func compress(_ text: [UInt8], _ form: Form) -> [UInt8]? {
        var stream = z_stream()
        guard
            deflateInit2_(
                &stream, 6, Z_DEFLATED, form.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var text = text
        let bound = Int(deflateBound(&stream, uLong(text.count)))
        var isDone = false
        let out = [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            text.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = uInt(input.count)
                stream.next_out = room.baseAddress
                stream.avail_out = uInt(room.count)
                isDone = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = room.count - Int(stream.avail_out)
            }
        }
        return isDone ? out : nil
    }
}
