import Events

/// What is made of a batch that keeps all rules. Still with the raw device id, so it is
/// handed on only as `accepted`.
package struct JudgedBatch: Sendable {
    /// Nil only in profile `legacy`: the caller then makes one from the text.
    package var batchID: String?
    package var sequence: Int64?
    package var droppedEvents: Int64 = 0
    /// What was added to every time, milliseconds.
    package var clockShift: Int64 = 0
    /// The device's clock when it was sent, milliseconds since 1970-01-01T00:00:00Z.
    package var sentAt: Int64?
    /// The device's identity as sent, UTF-8. It is written nowhere (docs/protocol.md, Device
    /// identity).
    package var rawDeviceID: [UInt8] = []
    package var resource = Resource()
    package var rejected = 0
    package var rejections: [Rejection] = []
    package var rejectionCounts: [RejectionCount] = []
    package var names: [String] = []
    package var sessionsJSON: [UInt8]?
    package var attributeKeys: [String] = []
    package var events: [AcceptedEvent] = []
    package var text: [UInt8] = []

    /// What may be stored, with what the text itself does not say.
    package consuming func accepted(
        app: Int64, device: DeviceHash, isShared: Bool, batchID: String, receivedAt: Int64,
        profile: Profile, key: Int64?, bodyBytes: Int
    ) -> AcceptedBatch {
        var batch = AcceptedBatch(
            app: app, device: device, isShared: isShared, resource: resource, batchID: batchID,
            receivedAt: receivedAt, clockShift: clockShift, profile: profile, key: key,
            sequence: sequence, droppedEvents: droppedEvents, bodyBytes: bodyBytes,
            rejected: rejected, rejections: rejections, rejectionCounts: rejectionCounts,
            names: names, sessionsJSON: sessionsJSON, attributeKeys: attributeKeys,
            events: events, text: text)
        batch.sentAt = sentAt
        return batch
    }
}
