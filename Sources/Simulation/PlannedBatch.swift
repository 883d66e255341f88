/// A batch before it is written out: small, so that a day of a large population fits in memory.
/// Moments are milliseconds.
struct PlannedBatch {
    /// How the batch's stretch of a session begins.
    enum Opening: UInt8 { case start, resume }

    /// How it ends.
    enum Closing: UInt8 {
        case end
        /// The end is told in the device's next batch.
        case later
        /// It is never told: the app was killed.
        case never
    }

    /// The end of an earlier session that this batch tells late.
    struct LateEnd {
        let session: Int
        let time: Int64
    }

    /// The device's index among those of its lane.
    let device: Int
    /// Counts the device's batches.
    let sequence: Int64
    /// When it is posted: its place among all batches.
    var delivery: Int64
    /// Where its own stream of chance begins.
    let seed: UInt64
    /// The session it tells of, numbered within the device.
    let session: Int
    let start: Int64
    let length: Int64
    let opening: Opening
    let closing: Closing
    let lateEnd: LateEnd?
    /// Events that the device had to discard before.
    let dropped: Int
    /// Whether the same batch was posted before.
    var isRepeat = false

    /// When it was frozen.
    var made: Int64 { start + length }

    /// The order of posting; a device's batches are in the order of their making.
    static func precedes(_ one: PlannedBatch, _ other: PlannedBatch) -> Bool {
        if one.delivery != other.delivery { return one.delivery < other.delivery }
        if one.device != other.device { return one.device < other.device }
        if one.sequence != other.sequence { return one.sequence < other.sequence }
        return !one.isRepeat && other.isRepeat
    }
}
