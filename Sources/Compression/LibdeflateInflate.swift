#if canImport(CDeflate)
import CDeflate

/// One libdeflate decompressor. It knows only whole buffers: where the room does not do, it starts
/// again with four times as much, at most up to the limit.
final class LibdeflateInflate {
    private let decompressor: OpaquePointer

    init() {
        guard let made = libdeflate_alloc_decompressor() else {
            preconditionFailure("no memory for a decompressor")
        }
        decompressor = made
    }

    deinit { libdeflate_free_decompressor(decompressor) }

    /// Inflates a raw deflate stream that fills the input to its end (RFC 1951).
    func inflate(
        _ input: UnsafeBufferPointer<UInt8>, hint: Int?, limit: Int, into scratch: inout [UInt8]
    ) throws(InflateError) -> Int {
        var room = InflateRoom.first(input: input.count, hint: hint, ceiling: limit)
        while true {
            InflateRoom.grow(&scratch, to: max(room, 1), keeping: 0)
            let available = min(scratch.count, limit)
            var read = 0
            var made = 0
            let result = scratch.withUnsafeMutableBufferPointer {
                libdeflate_deflate_decompress_ex(
                    decompressor, input.baseAddress, input.count, $0.baseAddress, available,
                    &read, &made)
            }
            switch result {
            case LIBDEFLATE_SUCCESS where read == input.count: return made
            case LIBDEFLATE_INSUFFICIENT_SPACE where available >= limit: throw .tooLarge
            case LIBDEFLATE_INSUFFICIENT_SPACE:
                room = InflateRoom.next(after: available, ceiling: limit)
            default: throw .damaged
            }
        }
    }

    static func crc32(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        libdeflate_crc32(0, bytes.baseAddress, bytes.count)
    }
}
#endif
