/// Compresses bodies as a device does (docs/protocol.md, gzip).
package enum Gzip {
    /// One gzip member without name and time, so that the same content gives the same bytes.
    ///
    /// - Parameter level: 0 (stored) to 9 (smallest).
    package static func compress(_ content: Span<UInt8>, level: Int = 6) -> [UInt8] {
        Deflate.run(content, level: level, windowBits: 15 + 16)
    }
}
