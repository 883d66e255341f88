import Foundation

/// The rules of a batch (docs/protocol.md, "The batch"), written again with other means, to judge what
/// the simulation makes. Throws what is broken.
struct BatchChecker {
    struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    /// What counts of a batch.
    struct Batch {
        let id: String
        let device: String
        let sequence: Int64
        let sentAt: Int64
        let dropped: Int64
        let resource: [String: String]
        let events: [Event]
    }

    struct Event {
        let name: String
        let time: Int64
        let session: String
        let attributes: [String: Any]
    }

    private static let greatest: Int64 = (1 << 53) - 1
    private static let required = [
        "session.start": "session.id", "session.resume": "session.id", "session.end": "session.id",
        "screen.view": "app.screen.name", "usage.counter": "counter.name",
        "content.view": "content.id", "content.complete": "content.id",
        "video.enter_fullscreen": "video.id", "video.exit_fullscreen": "video.id",
        "webview.event": "webview.event.name",
    ]
    private static let listed = [
        "os.name", "os.version", "device.model.identifier", "device.manufacturer",
        "service.version", "app.build_id", "telemetry.sdk.name", "telemetry.sdk.version",
    ]

    static func check(_ text: [UInt8]) throws -> Batch {
        try expect(text.count < 64 << 10, "64 KiB is what weak networks carry")
        guard let top = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any] else {
            throw Broken(description: "no object")
        }
        try expect(integer(top["schema"]) == 1, "schema")
        let id = try string(top["batch_id"], most: 64, "batch_id")
        try expect(id.wholeMatch(of: /[A-Za-z0-9._:-]+/) != nil, "batch_id \(id)")
        let counts = try ["sent_at", "sequence", "dropped_events"].map { name in
            guard let value = integer(top[name]), (0...greatest).contains(value) else {
                throw Broken(description: name)
            }
            return value
        }
        guard let resource = top["resource"] as? [String: Any] else {
            throw Broken(description: "resource")
        }
        let device = try string(
            resource["app.installation.id"] ?? resource["device.id"], most: 256, "identity")
        var named: [String: String] = [:]
        for name in listed { named[name] = try string(resource[name], most: 128, name) }
        guard let events = top["events"] as? [[String: Any]], events.count <= 5_000
        else { throw Broken(description: "events") }
        return Batch(
            id: id, device: device, sequence: counts[1], sentAt: counts[0], dropped: counts[2],
            resource: named, events: try events.map(event))
    }

    private static func event(_ event: [String: Any]) throws -> Event {
        let name = try string(event["name"], most: 64, "name")
        try expect(name.wholeMatch(of: /[a-z][a-z0-9_]*(\.[a-z0-9_]+)*/) != nil, "name \(name)")
        guard let time = integer(event["time"]) else { throw Broken(description: "time") }
        guard let attributes = event["attributes"] as? [String: Any], attributes.count <= 32 else {
            throw Broken(description: "attributes")
        }
        for (key, value) in attributes {
            try expect((1...64).contains(key.utf8.count), "key \(key)")
            if let text = value as? String {
                try expect(text.utf8.count <= 1_024, key)
            } else {
                try expect((value as? NSNumber)?.doubleValue.isFinite == true, key)
            }
        }
        // What is recorded in the background is in no session.
        let session =
            name == "push.received"
            ? "" : try string(attributes["session.id"], most: 64, "session.id")
        if let needed = required[name] {
            _ = try string(attributes[needed], most: 128, "\(name) \(needed)")
        }
        if let value = attributes["counter.value"] {
            try expect((1...1_000_000_000).contains(integer(value) ?? 0), "counter.value")
        }
        return Event(name: name, time: time, session: session, attributes: attributes)
    }

    private static func expect(_ truth: Bool, _ what: String) throws {
        guard truth else { throw Broken(description: what) }
    }

    private static func string(_ value: Any?, most: Int, _ what: String) throws -> String {
        guard let text = value as? String, (1...most).contains(text.utf8.count) else {
            throw Broken(description: what)
        }
        return text
    }

    private static func integer(_ value: Any?) -> Int64? {
        guard let number = value as? NSNumber else { return nil }
        let double = number.doubleValue
        return double.rounded() == double ? number.int64Value : nil
    }
}
