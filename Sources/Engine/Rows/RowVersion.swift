/// Which of several rows of one key counts: the one with the greatest version (docs/scale.md).
package enum RowVersion {
    /// Bits of a node's hash at a version's end.
    package static let nodeBits: UInt64 = 5
    /// Bits of a day before them, in versions of batches.
    private static let dayBits: UInt64 = 16
    /// The greatest moment of an arrival: 2^43 − 1 milliseconds, in the year 2248.
    private static let lastArrival: UInt64 = 1 << 43 - 1
    private static let day: Int64 = 86_400_000
    /// The greatest moment, milliseconds since 1970, and the greatest day of a prune.
    package static let lastMoment = Int64(lastArrival)
    package static let lastDay = Int64(1) << Int64(dayBits) - 1

    /// Of a batch's row: the earlier it arrived the greater; of equal arrivals the one that was pruned
    /// further; of these one of the nodes'.
    /// - Parameters:
    ///   - receivedAt: when it arrived, milliseconds since 1970; what lies outside 2^43 counts as the
    ///     nearest end
    ///   - limit: of the last prune, milliseconds since 1970; nil: none has been
    ///   - node: `bits(ofNode:)`
    package static func ofBatch(
        receivedAt: Int64, prunedTo limit: Int64?, node: UInt64
    ) -> UInt64 {
        let arrival = UInt64(clamping: receivedAt)
        let days = UInt64(clamping: (limit ?? 0) / day)
        return (lastArrival - min(arrival, lastArrival)) << (dayBits + nodeBits)
            | min(days, 1 << dayBits - 1) << nodeBits
            | node & (1 << nodeBits - 1)
    }

    /// In the place of a node's bits: the row was pruned where it is, and counts before what any node
    /// hands over of that prune.
    package static let prunedInPlace: UInt64 = 1 << nodeBits - 1

    /// Five bits that are the same for a name at all times, and not all set: of 64-bit FNV-1a, folded.
    package static func bits(ofNode name: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return ((hash ^ hash >> 32) & (1 << nodeBits - 1)) % prunedInPlace
    }

    /// An expression of the version of a row of a batch after it was pruned where it is.
    /// - Parameter day: of the prune, at most 16 bits
    package static func prunedInPlaceSQL(day: Int64) -> String {
        let days: UInt64 = 1 << dayBits - 1
        let low = days << nodeBits | prunedInPlace
        // No version ever becomes less.
        return """
            bitOr(bitXor(version, bitAnd(version, toUInt64(\(low)))), bitOr(bitShiftLeft(greatest(\
            bitAnd(bitShiftRight(version, \(nodeBits)), toUInt64(\(days))), toUInt64(\(min(UInt64(clamping: day), days)))), \
            \(nodeBits)), toUInt64(\(prunedInPlace))))
            """
    }
}
