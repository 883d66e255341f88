/// A batch as a device sends it (docs/protocol.md, "The batch").
struct Batch: Decodable {
    let schema: Int?
    let batchID: String
    let sentAt, sequence, droppedEvents: Int64?
    let resource: Resource
    let events: [Judged<Event>]

    enum CodingKeys: String, CodingKey {
        case schema, resource, events, sequence
        case batchID = "batch_id"
        case sentAt = "sent_at"
        case droppedEvents = "dropped_events"
    }
}

/// What a device says of itself.
struct Resource: Decodable {
    let installationID, deviceID: String?
    let osName, osVersion, model, manufacturer: String?
    let serviceVersion, buildID, sdkName, sdkVersion: String?

    enum CodingKeys: String, CodingKey {
        case installationID = "app.installation.id"
        case deviceID = "device.id"
        case osName = "os.name"
        case osVersion = "os.version"
        case model = "device.model.identifier"
        case manufacturer = "device.manufacturer"
        case serviceVersion = "service.version"
        case buildID = "app.build_id"
        case sdkName = "telemetry.sdk.name"
        case sdkVersion = "telemetry.sdk.version"
    }
}

struct Event: Decodable {
    let name: String
    let time: Int64
    let attributes: Attributes?
}

/// A part that is judged by itself: nil where it is not what it should be, and the rest stays good.
struct Judged<Part: Decodable>: Decodable {
    let part: Part?

    init(from decoder: any Decoder) {
        part = try? Part(from: decoder)
    }
}
