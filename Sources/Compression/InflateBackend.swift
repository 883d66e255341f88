/// Which library inflates. Both give the same answers; the tests hold both to one table.
package enum InflateBackend: CaseIterable, Sendable {
    #if canImport(CDeflate)
    /// Whole buffers only, 1.6 to 2 times as fast as zlib, which it leaves some streams to
    /// (`DeflateProbe`).
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
