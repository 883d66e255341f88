import Client

@testable import Truth

/// Some devices that use all that questions are about.
enum Shop {
    static var devices: [ToldDevice] {
        (0..<8).map { device($0) }
            + [
                ToldDevice(
                    [event("session.start", 0, "s"), event("p", 5000, "s")], isShared: true)
            ]
    }

    /// - Parameter number: others do it on other days, longer and with other things
    static func device(_ number: Int64) -> ToldDevice {
        var events: [Written] = []
        for visit in 0..<(number + 1) {
            let start = (number + visit * 2) * dayLength + visit * hour
            let batch = Int(visit % 2)
            func add(
                _ name: String, _ at: Int64, _ attributes: [(key: String, value: Client.Value)] = []
            ) {
                events.append(event(name, start + at, "s\(visit)", batch: batch, attributes))
            }
            add("session.start", 0)
            add(
                "screen.view", 1000,
                [
                    ("app.screen.name", .string("menu")),
                    ("app.screen.load_ms", .integer(100 * number + visit)),
                ])
            add("usage.counter", 2000, [("counter.name", .string("tap"))])
            for step in ["menu", "item_added", "checkout"] { add("order.\(step)", 3000) }
            add(
                "order.purchase", 4000,
                [("order.total", .double(1.5)), ("order.items", .integer(visit))])
            let content = Client.Value.string("c\(visit % 3)")
            add("content.view", 5000, [("content.id", content)])
            if visit % 2 == 0 { add("content.complete", 6000, [("content.id", content)]) }
            add("video.enter_fullscreen", 7000, [("video.id", .string("v"))])
            add("video.exit_fullscreen", 7000 + number * 1000, [("video.id", .string("v"))])
            if visit % 3 != 2 { add("session.end", 20_000 * (visit + 1)) }
        }
        var device = ToldDevice(
            events, batches: ["a\(number)", "b\(number)"],
            os: [["iOS", "Android"][Int(number % 2)]],
            versions: ["1", "2"], corrected: number == 7 ? [1] : [])
        device.batches[0].rejected = number
        return device
    }

    static func scope() throws -> TruthScope { try TruthTests.scope("2026-03-28", "2026-04-30") }

    /// What every report must say of them.
    static func truth(_ devices: [ToldDevice] = devices) throws -> [UInt8] {
        var truth = Truth(try scope())
        for device in devices { truth.add(device) }
        return truth.document()
    }
}
