import Client
import Foundation
import TestSupport
import Testing
import Truth

/// What the room `Truth` computes by the definitions alone is what the program answers.
@Suite("every report says what devices meant", .serialized)
struct TruthTests {
    /// `SEED` draws other devices.
    private static let seed =
        ProcessInfo.processInfo.environment["SEED"].flatMap { UInt64($0) } ?? 11
    private static let zones = [
        "Europe/Berlin", "Africa/Cairo", "America/St_Johns", "Asia/Kathmandu",
    ]

    @Test(
        "of random devices, in zones that change their clocks; and one changed event is found",
        .tags(.long))
    func random() throws {
        let server = try TestServer()
        try server.start()
        var sent = SentDevices(seed: Self.seed)
        try sent.post(to: server)
        var answers: [String: [UInt8]] = [:]
        for zone in Self.zones {
            let outcome = try TruthCheck(try sent.truth(zone: zone)).run(now: { now }) {
                report, parameters in
                let query = Self.query(report, parameters)
                answers[query] = Array(try server.report(query).utf8)
                return answers[query] ?? []
            }
            #expect(outcome.questions == 48 && outcome.rows > 3000, "\(outcome.rows)")
            #expect(outcome.differenceCount == 0, "\(zone): \(outcome.countByReport)")
            for difference in outcome.differences { Issue.record("\(zone): \(difference)") }
        }
        for change in Self.changes {
            var devices = sent.devices
            let (device, event) = try sent.event(where: change.isSought)
            change.apply(&devices[device].told, event)
            let truth = try sent.truth(zone: Self.zones[0], of: devices)
            let outcome = try TruthCheck(truth).run(now: { now }) { report, parameters in
                let query = Self.query(report, parameters)
                // By another version the most common may be another: that is not asked again.
                return try answers[query] ?? Array(server.report(query).utf8)
            }
            for report in change.reports {
                #expect(outcome.countByReport[report] != nil, "\(change.name) in \(report)")
            }
        }
        let reports = Set(answers.keys.map { $0.split(separator: "?")[0] })
        #expect(Set(Self.changes.flatMap(\.reports).map { $0[...] }) == reports)
    }

    private static func query(
        _ report: String, _ parameters: [(name: String, value: String)]
    ) -> String {
        let pairs = (parameters + [(name: "app", value: "shop")]).map { parameter in
            let value = parameter.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
            return parameter.name + "=" + (value ?? "")
        }
        return report + "?" + pairs.joined(separator: "&")
    }

    /// What is changed in one event, and the reports that must show it.
    private struct Change: Sendable {
        let name: String
        let reports: [String]
        let isSought: @Sendable (ToldDevice, ToldEvent) -> Bool
        let apply: @Sendable (inout ToldDevice, Int) -> Void
    }

    private static let changes = [
        Change(
            name: "the first event ever, a day before",
            reports: ["active", "retention", "lifetime"],
            isSought: { device, event in device.events.allSatisfy { $0.time >= event.time } },
            apply: { $0.events[$1].time -= 86_400_000 }),
        Change(
            name: "a session of its own",
            reports: ["sessions", "lengths", "hours", "platforms", "versions"],
            isSought: { $1.name == "screen.view" && $1.session != nil },
            apply: { $0.events[$1].session = "other" }),
        Change(
            name: "another name", reports: ["events", "funnel"],
            isSought: { device, event in
                event.name == "order.menu" && device.events.count { $0.name == event.name } == 1
            }, apply: { $0.events[$1].name = "app.other" }),
        Change(
            name: "another content", reports: ["content"],
            isSought: { $1.name == "content.complete" },
            apply: { $0.events[$1].attributes = [("content.id", "other")] }),
        Change(
            name: "another video", reports: ["videos"],
            isSought: { $1.name == "video.enter_fullscreen" },
            apply: { $0.events[$1].attributes = [("video.id", "other")] }),
        Change(
            name: "one more", reports: ["counters"], isSought: { $1.name == "usage.counter" },
            apply: { $0.events[$1].attributes[1...] = [("counter.value", 77)] }),
        Change(
            name: "a load time", reports: ["values"], isSought: { $1.name == "screen.view" },
            apply: { $0.events[$1].attributes[1...] = [("app.screen.load_ms", 77_777)] }),
        Change(
            name: "rejected", reports: ["quality", "rejects"], isSought: { _, _ in true },
            apply: { device, event in
                let batch = device.events.remove(at: event).batch
                device.batches[batch].accepted -= 1
                device.batches[batch].rejected += 1
            }),
    ]
}
