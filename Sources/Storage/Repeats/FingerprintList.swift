import Events

/// Fingerprints as the column `fingerprint.list` has them: 8 bytes each, highest first, in the order of the events that
/// are left.
package enum FingerprintList {
    /// Bytes of one.
    package static let stride = 8

    static func write(_ fingerprints: [Fingerprint], to out: inout [UInt8]) {
        out.removeAll(keepingCapacity: true)
        out.reserveCapacity(fingerprints.count * stride)
        for fingerprint in fingerprints {
            withUnsafeBytes(of: fingerprint.value.bigEndian) { out += $0 }
        }
    }

    /// The list without some of its elements.
    /// - Parameter kept: of each whether it stays, in order
    package static func keeping(_ kept: [Bool], of list: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        for (index, stays) in kept.enumerated()
        where stays && (index + 1) * stride <= list.count {
            out += list[index * stride..<(index + 1) * stride]
        }
        return out
    }

    /// Calls `body` with each; what is left of a list that is damaged is passed over.
    static func forEach(in list: Span<UInt8>, _ body: (UInt64) -> Void) {
        list.withUnsafeBytes { bytes in
            var offset = 0
            while bytes.count - offset >= stride {
                body(
                    UInt64(
                        bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
                offset += stride
            }
        }
    }
}
