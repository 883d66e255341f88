import Events

/// What one batch has of a session on one UTC day.
struct SessionPiece: Sendable {
    /// Row of the device.
    let device: Int64
    /// The session's key (`SegmentReader.sessions`).
    let session: UInt64
    /// Row of the batch's resource.
    let resource: Int64
    /// Of its events.
    let fold: SessionFold
}
