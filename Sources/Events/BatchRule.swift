/// Why a whole batch is refused, in the order in which rules are reported when several are broken
/// (docs/protocol.md, The batch). Rules that share a code differ in what they tell the sender.
package enum BatchRule: UInt8, CaseIterable, Comparable, Error {
    case text
    case elements
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
        case .elements: "too-many-elements"
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
        case .elements: "split the batch, it has too many values and names of members"
        case .schema: "schema must be absent or the integer 1"
        case .batchID:
            "batch_id must be a string of 1 to \(BatchLimit.batchID) of A-Z a-z 0-9 . _ : -"
        case .sentAt: "sent_at must be absent or an integer from 0 to 2^53-1"
        case .sequence: "sequence must be absent or an integer from 0 to 2^53-1"
        case .droppedEvents: "dropped_events must be absent or an integer from 0 to 2^53-1"
        case .resource: "resource must be there and an object"
        case .deviceID:
            "resource must have app.installation.id or device.id, a string of 1 to "
                + "\(BatchLimit.deviceID) bytes"
        case .resourceMember:
            "listed members of resource must be strings of at most \(BatchLimit.resourceMember) bytes"
        case .events: "events must be there and an array"
        case .eventCount: "split the batch, it has too many events"
        }
    }

    /// What the table of docs/protocol.md, Members, says of it, in Markdown: the member, whether it has
    /// to be there, and the rule.
    package var row: (member: String, required: String, rule: String) {
        switch self {
        case .text: ("the text", "", "as above")
        case .elements: ("", "", "at most 1,000,000 values and names of members")
        case .schema: ("`schema`", "", "1")
        case .batchID:
            (
                "`batch_id`", "yes, but in `legacy`",
                "string of 1–\(BatchLimit.batchID) of `A-Z a-z 0-9 . _ : -`"
            )
        case .sentAt: ("`sent_at`", "", "0 … 2^53−1: the device's clock at this attempt")
        case .sequence:
            (
                "`sequence`", "",
                "0 … 2^53−1: number of this batch among those of this installation, one up each time"
            )
        case .droppedEvents:
            (
                "`dropped_events`", "",
                "0 … 2^53−1: events the device had to throw away since its last batch"
            )
        case .resource: ("`resource`", "yes", "object")
        case .deviceID:
            (
                "`resource`: `app.installation.id` or `device.id`", "one of them",
                "string of 1–\(BatchLimit.deviceID) bytes ([Device identity](#device-identity))"
            )
        case .resourceMember:
            (
                "`resource`: the members below", "",
                "strings of at most \(BatchLimit.resourceMember) bytes; an empty one is as good as none"
            )
        case .events: ("`events`", "yes", "array, perhaps empty")
        case .eventCount: ("", "", "at most 5,000 events")
        }
    }

    package static func < (left: BatchRule, right: BatchRule) -> Bool {
        left.rawValue < right.rawValue
    }
}
