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
