/// Why a whole batch is refused, in the order in which rules are reported when several are broken
/// (docs/protocol.md, The batch). Rules that share a code differ in what they tell the sender.
package enum BatchRule: UInt8, CaseIterable, Comparable, Error {
    case text
    case schema
    case batchID
    case sentAt
    case sequence
    case droppedEvents
    case resource
    case deviceID
    case resourceMember
    case events
    case eventCount

    /// As on the wire.
    package var code: String {
        switch self {
        case .text: "malformed-json"
        case .schema: "unsupported-schema"
        case .batchID, .sentAt, .sequence, .droppedEvents, .events: "invalid-batch"
        case .resource, .resourceMember: "invalid-resource"
        case .deviceID: "invalid-device-id"
        case .eventCount: "too-many-events"
        }
    }

    /// One sentence that says what to do and repeats nothing of the body.
    package var detail: String {
        switch self {
        case .text: "the body must be one I-JSON object (RFC 7493) of depth 16 at most"
        case .schema: "schema must be absent or the integer 1"
        case .batchID: "batch_id must be a string of 1 to 64 of A-Z a-z 0-9 . _ : -"
        case .sentAt: "sent_at must be absent or an integer from 0 to 2^53-1"
        case .sequence: "sequence must be absent or an integer from 0 to 2^53-1"
        case .droppedEvents: "dropped_events must be absent or an integer from 0 to 2^53-1"
        case .resource: "resource must be there and an object"
        case .deviceID:
            "resource must have app.installation.id or device.id, a string of 1 to 256 bytes"
        case .resourceMember: "listed members of resource must be strings of at most 128 bytes"
        case .events: "events must be there and an array"
        case .eventCount: "split the batch, it has too many events"
        }
    }

    package static func < (left: BatchRule, right: BatchRule) -> Bool {
        left.rawValue < right.rawValue
    }
}
