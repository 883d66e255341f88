import Foundation

/// A batch that was judged, as the columns that are stored.
struct AcceptedBatch: Sendable {
    struct Row: Sendable {
        let name: String
        let time: Int64
        let session, attributes: String?
    }

    let app, batchID: String
    let device: Data
    let receivedAt: Int64
    let sentAt, sequence, droppedEvents: Int64?
    /// In the order of `Resource.described`.
    let resource: [String?]
    let rows: [Row]
    let rejected: Int

    init(_ batch: Batch, app: String, device: Data, receivedAt: Int64) {
        self.app = app
        self.device = device
        self.receivedAt = receivedAt
        batchID = batch.batchID
        (sentAt, sequence, droppedEvents) = (batch.sentAt, batch.sequence, batch.droppedEvents)
        resource = batch.resource.described
        rows = batch.events.compactMap { judged in
            guard let event = judged.part, Judge.isGood(event, at: receivedAt) else { return nil }
            return Row(event)
        }
        rejected = batch.events.count - rows.count
    }
}

extension AcceptedBatch.Row {
    /// The session has a column of its own; the other attributes are kept as JSON.
    init(_ event: Event) {
        name = event.name
        time = event.time
        session = event.attributes?["session.id"]?.string
        attributes = event.attributes?.text(without: "session.id")
    }
}

extension Resource {
    var described: [String?] {
        [
            osName, osVersion, model, manufacturer, serviceVersion, buildID, sdkName, sdkVersion,
        ]
    }
}
