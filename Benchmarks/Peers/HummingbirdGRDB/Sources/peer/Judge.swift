/// The rules of docs/protocol.md, "Members" and "Events"; clocks are not corrected.
enum Judge {
    private static let largest: Int64 = 1 << 53 - 1
    private static let oldest: Int64 = 400 * 86_400_000, newest: Int64 = 86_400_000
    private static let required = [
        "session.start": "session.id", "session.resume": "session.id", "session.end": "session.id",
        "screen.view": "app.screen.name", "usage.counter": "counter.name",
        "content.view": "content.id", "content.complete": "content.id",
        "video.enter_fullscreen": "video.id", "video.exit_fullscreen": "video.id",
        "webview.event": "webview.event.name",
    ]

    /// The device's raw id, of a batch that keeps the rules.
    static func device(of batch: Batch) throws -> String {
        guard batch.schema ?? 1 == 1 else { throw Refusal.unsupportedSchema }
        guard (1...64).contains(batch.batchID.utf8.count), batch.batchID.utf8.allSatisfy(isOfID),
            [batch.sentAt, batch.sequence, batch.droppedEvents]
                .allSatisfy({ (0...largest).contains($0 ?? 0) })
        else { throw Refusal.invalidBatch }
        let resource = batch.resource
        guard let device = resource.installationID ?? resource.deviceID,
            (1...256).contains(device.utf8.count)
        else { throw Refusal.invalidDeviceID }
        guard resource.described.allSatisfy({ $0?.utf8.count ?? 0 <= 128 }) else {
            throw Refusal.invalidResource
        }
        guard batch.events.count <= 5000 else { throw Refusal.tooManyEvents }
        return device
    }

    /// Whether an event that arrives at that moment is stored (milliseconds since 1970).
    static func isGood(_ event: Event, at arrival: Int64) -> Bool {
        guard isName(event.name), (arrival - oldest...arrival + newest).contains(event.time)
        else { return false }
        let needed = required[event.name]
        guard let attributes = event.attributes else { return needed == nil }
        guard attributes.all.count <= 32,
            attributes.all.allSatisfy({ key, value in
                (1...64).contains(key.utf8.count) && value.string?.utf8.count ?? 0 <= 1024
            })
        else { return false }
        if let session = attributes["session.id"] {
            guard (1...64).contains(session.string?.utf8.count ?? 0) else { return false }
        }
        guard let needed else { return true }
        return (1...128).contains(attributes[needed]?.string?.utf8.count ?? 0)
    }

    private static func isOfID(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: isLetter(octet | 0x20) || isDigit(octet)
        }
    }

    /// `[a-z][a-z0-9_]*(\.[a-z0-9_]+)*`
    private static func isName(_ name: String) -> Bool {
        var last = UInt8(ascii: ".")
        for octet in name.utf8 {
            guard
                isLetter(octet) || isDigit(octet) || octet == UInt8(ascii: "_")
                    || octet == UInt8(ascii: ".") && last != octet
            else { return false }
            last = octet
        }
        return name.utf8.count <= 64 && name.utf8.first.map(isLetter) == true
            && last != UInt8(ascii: ".")
    }

    private static func isLetter(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(octet)
    }

    private static func isDigit(_ octet: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet)
    }
}
