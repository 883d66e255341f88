import Client
import JSON

/// What a client has put into a batch, read from its text (docs/protocol.md, "The batch").
struct SentBatch {
    struct Event {
        var name = ""
        var time: Int64 = 0
    }

    private(set) var id = ""
    private(set) var sequence: Int64 = 0
    private(set) var dropped: Int64 = 0
    private(set) var events: [Event] = []

    /// - Throws: `Malformed` where it is no batch.
    init(_ text: [UInt8]) throws(Malformed) {
        let bytes = text.span
        var scanner = Scanner()
        try scanner.reset(bytes)
        guard try scanner.value(bytes).kind == .object else { return }
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch name.text.string(in: text) {
            case "batch_id": id = token.text?.string(in: text) ?? ""
            case "sequence": sequence = token.integer ?? 0
            case "dropped_events": dropped = token.integer ?? 0
            case "events" where token.kind == .array:
                while try scanner.element(bytes) {
                    events.append(try Self.event(text, &scanner))
                }
                continue
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
        try scanner.finish(bytes)
    }

    private static func event(
        _ text: [UInt8], _ scanner: inout Scanner
    ) throws(Malformed) -> Event {
        let bytes = text.span
        var event = Event()
        let whole = try scanner.value(bytes)
        guard whole.kind == .object else {
            try scanner.skipRest(of: whole, bytes)
            return event
        }
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch name.text.string(in: text) {
            case "name": event.name = token.text?.string(in: text) ?? ""
            case "time": event.time = token.integer ?? 0
            default: break
            }
            try scanner.skipRest(of: token, bytes)
        }
        return event
    }
}
