import CZlib
import Foundation

/// gzip by zlib, which checks CRC-32 and ISIZE.
enum Gzip {
    static let largest = 8 << 20

    /// What one member holds; the length that stands at its end says how much room that takes.
    static func inflate(_ member: Data) throws -> Data {
        guard member.count > 18, member.starts(with: [0x1f, 0x8b]) else {
            throw Refusal.undecodable
        }
        let length = member.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= largest else { throw Refusal.inflatedTooLarge }

        var stream = z_stream()
        let version = zlibVersion()
        guard
            inflateInit2_(&stream, 16 + MAX_WBITS, version, Int32(MemoryLayout<z_stream>.size))
                == Z_OK
        else { throw Refusal.undecodable }
        defer { inflateEnd(&stream) }

        // An empty text still needs an address to write to.
        var text = Data(count: max(length, 1))
        let status = member.withUnsafeBytes { input in
            text.withUnsafeMutableBytes { output in
                // zlib does not write to its input, though its type says so.
                stream.next_in = UnsafeMutablePointer(
                    mutating: input.bindMemory(to: Bytef.self).baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.bindMemory(to: Bytef.self).baseAddress
                stream.avail_out = uInt(length)
                return CZlib.inflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END, stream.avail_in == 0, stream.avail_out == 0 else {
            throw Refusal.undecodable
        }
        return text.prefix(length)
    }
}
