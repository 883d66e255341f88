/// Where an event is stored: `event.id` is its batch's row, shifted by 13 bits, and its index as sent in
/// the lowest ones (docs/schema.md). So the events of a batch are one range of rows, in the order in which
/// they were sent.
package struct EventID: RawRepresentable, Hashable, Sendable {
    /// `event.id`.
    package let rawValue: Int64

    /// Bits of the index.
    package static let indexBits: Int64 = 13
    /// The largest index.
    package static let maxIndex = (1 << indexBits) - 1

    /// As it is stored.
    @inline(__always)
    package init(rawValue: Int64) { self.rawValue = rawValue }

    /// Of an event of a batch.
    /// - Parameters:
    ///   - batch: its row
    ///   - index: as sent, 0 to `maxIndex`
    @inline(__always)
    package init(batch: Int64, index: Int64) { rawValue = batch << Self.indexBits | index }

    /// The batch's row.
    @inline(__always)
    package var batch: Int64 { rawValue >> Self.indexBits }

    /// The index as sent.
    @inline(__always)
    package var index: Int64 { rawValue & Int64(Self.maxIndex) }

    /// All that a batch's events can have.
    /// - Parameter batch: its row
    package static func all(ofBatch batch: Int64) -> ClosedRange<Int64> {
        EventID(batch: batch, index: 0)
            .rawValue...EventID(batch: batch, index: Int64(maxIndex)).rawValue
    }
}
