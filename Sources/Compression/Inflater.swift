import CZlib

/// Inflates whole bodies, bounded at every step. One for each worker: its context is reused, and it
/// must not be used by two threads at once.
package final class Inflater {
    private enum Engine {
        #if canImport(CDeflate)
        /// With zlib for long streams, and for those that may be too large, which libdeflate does not read to their
        /// end.
        case libdeflate(LibdeflateInflate, ZlibInflate)
        #endif
        case zlib(ZlibInflate)
    }

    private let engine: Engine
    /// Bytes that the last body was inflated to; where its stream is damaged, as many as may have come before that.
    package private(set) var inflatedBytes = 0
    /// Bytes that one byte of a stream makes at most: a match has 258, and takes two bits (RFC 1951 §3.2.5).
    private static let maxGrowth = 1032

    #if canImport(CDeflate)
    /// Bytes of a stream up to which libdeflate inflates it. Blocks without content, each with tables of its own, take
    /// it 0.3 µs a byte, and again in each larger room; zlib takes 0.1 µs, and goes on where the room ended.
    private static let maxWholeInput = 64 << 10
    #endif

    package init(_ backend: InflateBackend = .preferred) {
        switch backend {
        #if canImport(CDeflate)
        case .libdeflate: engine = .libdeflate(LibdeflateInflate(), ZlibInflate())
        #endif
        case .zlib: engine = .zlib(ZlibInflate())
        }
    }

    /// Inflates exactly one gzip member that fills the body (RFC 1952; docs/protocol.md, gzip).
    ///
    /// - Parameters:
    ///   - limit: The most bytes it may inflate to.
    ///   - scratch: Grows as needed, never beyond the limit by more than a byte, never shrinks.
    /// - Returns: How many bytes from the scratch's first are the content.
    package func gunzip(
        _ body: Span<UInt8>, limit: Int, into scratch: inout [UInt8]
    ) throws(InflateError) -> Int {
        inflatedBytes = 0
        let member = try GzipMember(body)
        let count = try inflate(
            body.extracting(member.deflated), hint: Int(member.inflatedSize), limit: limit,
            into: &scratch)
        guard UInt32(truncatingIfNeeded: count) == member.inflatedSize,
            crc32(scratch.span.extracting(first: count)) == member.checksum
        else { throw .damaged }
        return count
    }

    /// How many bytes a gzip member claims to hold, modulo 2^32; nil where it is none.
    package static func claimedBytes(of body: Span<UInt8>) -> Int? {
        (try? GzipMember(body)).map { Int($0.inflatedSize) }
    }

    /// Inflates exactly one raw deflate stream that fills the body (RFC 1951). Otherwise as `gunzip`.
    package func inflateRaw(
        _ body: Span<UInt8>, limit: Int, into scratch: inout [UInt8]
    ) throws(InflateError) -> Int {
        try inflate(body, hint: nil, limit: limit, into: &scratch)
    }

    private func inflate(
        _ stream: Span<UInt8>, hint: Int?, limit: Int, into scratch: inout [UInt8]
    ) throws(InflateError) -> Int {
        let limit = max(limit, 0)
        let (most, isMore) = stream.count.multipliedReportingOverflow(by: Self.maxGrowth)
        inflatedBytes = isMore ? limit : min(most, limit)
        let count: Int = try stream.withUnsafeBufferPointer { input throws(InflateError) in
            switch engine {
            #if canImport(CDeflate)
            case .libdeflate(let context, let zlib):
                guard input.count <= Self.maxWholeInput else {
                    return try zlib.inflate(input, hint: hint, limit: limit, into: &scratch)
                }
                do throws(InflateError) {
                    return try context.inflate(input, hint: hint, limit: limit, into: &scratch)
                } catch {
                    // libdeflate may take a truncated stream for too large a one: it reads zeros
                    // after the end for a while.
                    guard error == .tooLarge else { throw error }
                    return try zlib.inflate(input, hint: hint, limit: limit, into: &scratch)
                }
            #endif
            case .zlib(let context):
                return try context.inflate(input, hint: hint, limit: limit, into: &scratch)
            }
        }
        inflatedBytes = count
        return count
    }

    private func crc32(_ bytes: Span<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer {
            switch engine {
            #if canImport(CDeflate)
            case .libdeflate: LibdeflateInflate.crc32($0)
            #endif
            case .zlib: ZlibInflate.crc32($0)
            }
        }
    }
}

/// Which library inflates. Both give the same content for every stream of RFC 1951, and refuse what
/// is damaged, with one exception: libdeflate accepts symbols and code tables that RFC 1951 reserves
/// (lengths 286 and 287, distances 30 and 31, the unused half of a distance code), which no compressor
/// writes. What such a stream inflates to still has to match its CRC-32, or was authenticated as sent.
package enum InflateBackend: CaseIterable, Sendable {
    #if canImport(CDeflate)
    /// Whole buffers only, 1.6 to 2 times as fast as zlib on what compressors write.
    case libdeflate
    #endif
    case zlib

    /// The fastest of those that were built in.
    package static var preferred: InflateBackend {
        #if canImport(CDeflate)
        .libdeflate
        #else
        .zlib
        #endif
    }
}

/// Why a compressed body was refused (docs/protocol.md, gzip).
package enum InflateError: Error {
    /// It is not exactly one well-formed gzip member, or one raw deflate stream.
    case damaged
    /// It inflates to more than the limit. Wins over `damaged` where the limit is met first:
    /// nothing past it is looked at.
    case tooLarge
}

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
