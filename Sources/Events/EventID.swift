/// Where an event is stored: `event.id` is its batch's row, shifted by 13 bits, and its index as sent in
/// the lowest ones (docs/schema.md). So the events of a batch are one range of rows, in the order in which
/// they were sent.
///
/// Public so that other rooms' loops can inline it (docs/decisions/0046-public-where-it-is-inlined.md).
public struct EventID: RawRepresentable, Hashable, Sendable {
    /// `event.id`.
    public let rawValue: Int64

    /// Bits of the index.
    @inlinable
    public static var indexBits: Int64 { 13 }
    /// The largest index.
    @inlinable
    public static var maxIndex: Int { 1 << indexBits - 1 }

    /// As it is stored.
    @inlinable @inline(__always)
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Of an event of a batch.
    /// - Parameters:
    ///   - batch: its row
    ///   - index: as sent, 0 to `maxIndex`
    @inlinable @inline(__always)
    public init(batch: Int64, index: Int64) { rawValue = batch << Self.indexBits | index }

    /// The batch's row.
    @inlinable @inline(__always)
    public var batch: Int64 { rawValue >> Self.indexBits }

    /// The index as sent.
    @inlinable @inline(__always)
    public var index: Int64 { rawValue & Int64(Self.maxIndex) }

    /// All that a batch's events can have.
    /// - Parameter batch: its row
    @inlinable
    public static func all(ofBatch batch: Int64) -> ClosedRange<Int64> {
        EventID(batch: batch, index: 0)
            .rawValue...EventID(batch: batch, index: Int64(maxIndex)).rawValue
    }
}
