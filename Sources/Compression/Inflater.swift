/// Inflates whole bodies, bounded at every step. One for each worker: its context is reused, and it
/// must not be used by two threads at once.
package final class Inflater {
    private enum Engine {
        #if canImport(CDeflate)
        /// With zlib for streams that may be too large, which libdeflate does not read to their end.
        case libdeflate(LibdeflateInflate, ZlibInflate)
        #endif
        case zlib(ZlibInflate)
    }

    private let engine: Engine

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
        return try stream.withUnsafeBufferPointer { input throws(InflateError) in
            switch engine {
            #if canImport(CDeflate)
            case .libdeflate(let context, let zlib):
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
    /// Whole buffers only, 1.6 to 2 times as fast as zlib.
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
