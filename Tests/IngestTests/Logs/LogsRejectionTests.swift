import Events
import Testing

@testable import Ingest

/// spec: OpenTelemetry, What is rejected.
@Suite("a log record that is rejected")
struct LogsRejectionTests {
    static let day: UInt64 = 86_400_000_000_000
    static let now = UInt64(arrival) * 1_000_000

    /// Names that are none.
    static let badNames = [
        "App.tap", "a b", "a-b", "a..b", ".a", "a.", "1a", "é", "a/b", " a", "a\n", "_a",
        String(repeating: "a", count: 65), String(repeating: "a.", count: 2000) + "a",
    ]

    @Test("has a bad name, in the field or the attribute", arguments: badNames)
    func name(_ name: String) throws {
        #expect(try Logs.code(SentRecord(name)) == "invalid-name")
        #expect(try Logs.code(SentRecord(nil, ["event.name": .text(name)])) == "invalid-name")
        // The attribute does not help where the field has something.
        #expect(try Logs.code(SentRecord(name, ["event.name": "good"])) == "invalid-name")
    }

    @Test("a name of 64 bytes is good")
    func longName() throws {
        #expect(try Logs.code(SentRecord(String(repeating: "a", count: 64))) == nil)
    }

    /// Times, and the code; nil: it is taken.
    static let times: [(UInt64?, UInt64?, String?)] = [
        (0, 0, "invalid-time"), (nil, nil, "invalid-time"), (0, nil, "invalid-time"),
        (nil, 0, "invalid-time"), (1, nil, "time-out-of-range"), (nil, 1, "time-out-of-range"),
        (1, now, "time-out-of-range"), (.max, nil, "time-out-of-range"),
        (1 << 63, nil, "time-out-of-range"), (now / 1_000_000, nil, "time-out-of-range"),
        (now - 400 * day, nil, nil), (now - 400 * day - 1, nil, "time-out-of-range"),
        (now + day, nil, nil), (now + day + 999_999, nil, nil),
        (now + day + 1_000_000, nil, "time-out-of-range"), (0, now + 2 * day, "time-out-of-range"),
        (now, 1, nil),
    ]

    @Test("has no time, or one out of range", arguments: times.indices)
    func time(case index: Int) throws {
        let (time, observed, code) = Self.times[index]
        #expect(try Logs.code(SentRecord(time: time, observed: observed)) == code)
    }

    @Test("has bad attributes")
    func attributes() throws {
        func many(_ count: Int) -> SentAttributes {
            SentAttributes((0..<count).map { (key: SentText("k\($0)"), value: 1) })
        }
        let long = SentText(String(repeating: "k", count: 65))
        for (attributes, code) in [
            (many(32), nil), (many(33), "invalid-attribute"), (many(500), "invalid-attribute"),
            (many(31) + ["session.id": "s"], nil),
            (many(32) + ["session.id": "s"], "invalid-attribute"),
            // What is no attribute in the end does not count.
            (many(32) + ["none": .empty, "event.name": "x", "device.id": "y"], nil),
            (many(32) + many(32), nil), ([SentText(String(repeating: "k", count: 64)): 1], nil),
            ([long: 1], "invalid-attribute"), (["": 1], "invalid-attribute"),
            ([SentText(String(repeating: "é", count: 33)): 1], "invalid-attribute"),
            ([SentText(String(repeating: "é", count: 32)): 1], nil), ([long: .empty], nil),
            (["": .absent], nil), (["session.id": ""], "invalid-attribute"),
        ] as [(SentAttributes, String?)] {
            #expect(try Logs.code(SentRecord(attributes)) == code)
        }
        // Which rule it is stands in the detail.
        for (attributes, rule) in [
            (many(33), .attributeCount), (many(2000), .attributeCount), ([long: 1], .attributeKey),
            (["": 1], .attributeKey), (["session.id": ""], .session),
        ] as [(SentAttributes, EventRule)] {
            let logs = try Logs.accept(SentLogs(SentRecord(attributes)))
            #expect(logs.rejections.entries.map(\.detail) == [rule.detail])
        }
        let bad: SentAttributes = ["k": .text(SentText(bytes: [0xff]))]
        let logs = try Logs.accept(SentLogs(SentRecord(bad)).protobuf, .protobuf)
        #expect(logs.rejections.entries.map(\.detail) == [EventRule.attributeText.detail])
    }

    @Test("breaks the first of the rules in their order")
    func order() throws {
        let none = SentResource([:], SentRecord(nil))
        #expect(try Logs.accept(SentLogs([none])).rejected == ["invalid-device-id×1@0/0/0"])
        let bad: SentAttributes = ["": 1]
        let range: UInt64 = 1
        for (record, code) in [
            (SentRecord(nil, time: 0, bad), "not-an-event"),
            (SentRecord("Bad", time: 0, bad), "invalid-name"),
            (SentRecord("Bad", time: range, bad), "invalid-name"),
            (SentRecord("screen.view", time: 0, bad), "invalid-time"),
            (SentRecord("screen.view", time: range, bad), "time-out-of-range"),
            (SentRecord("screen.view", time: range), "time-out-of-range"),
            (SentRecord("screen.view", bad), "invalid-attribute"),
            (SentRecord("screen.view", ["session.id": 5]), "invalid-attribute"),
            (SentRecord("screen.view"), "missing-attribute"),
        ] {
            #expect(try Logs.code(record) == code)
        }
    }

    @Test("is counted by code, in the order of the rules, with the place of the first")
    func places() throws {
        let good = SentRecord()
        let sent = SentLogs([
            SentResource(scopes: [[good]]),
            SentResource(
                scopes: [
                    [], [good], [good, SentRecord("Bad"), SentRecord("Bad"), SentRecord(time: 0)],
                    [SentRecord("screen.view"), SentRecord(nil), SentRecord(["": 1])],
                ]),
            SentResource([:], scopes: [[], [good, good]]),
            SentResource(scopes: []),
            SentResource(scopes: [[SentRecord(time: 1), SentRecord(nil), good]]),
            SentResource([:], scopes: [[]]),
            SentResource(["device.id": ""], scopes: [[SentRecord("Bad")]]),
        ])
        let logs = try Logs.accept(sent)
        #expect(
            logs.rejected == [
                "invalid-device-id×3@2/1/0", "not-an-event×2@1/3/1", "invalid-name×2@1/2/1",
                "invalid-time×1@1/2/3", "time-out-of-range×1@4/0/0", "invalid-attribute×1@1/3/2",
                "missing-attribute×1@1/3/0",
            ])
        #expect(logs.rejections.count == 11 && logs.refusedResources == 2)
        #expect(logs.events.map(\.index) == [0, 0, 1, 2])
        #expect(logs.batches.map(\.batch.rejected) == [0, 6, 2])
        #expect(logs.device == nil)
    }

    @Test("is told of in its batch by its index, and where that stands")
    func inBatch() throws {
        let sent = SentLogs([
            SentResource([:], SentRecord()),
            SentResource(scopes: [[SentRecord("Bad")], [], [SentRecord(), SentRecord(time: 0)]]),
        ])
        let logs = try Logs.accept(sent)
        let batch = try #require(logs.batches.first)
        #expect(
            batch.batch.rejections == [
                Rejection(index: 0, rule: .name), Rejection(index: 2, rule: .time),
            ])
        #expect(batch.batch.rejectionCounts.map(\.code) == ["invalid-name", "invalid-time"])
        #expect(
            (0..<3).map { batch.places.place(of: $0).description } == ["1/0/0", "1/2/0", "1/2/1"])
        #expect(batch.batch.fingerprints.count == 1)
    }

    @Test("says for each code what to do, and nothing of the body")
    func details() throws {
        #expect(
            LogRejections.codes == [
                "invalid-device-id", "invalid-event", "not-an-event", "invalid-name",
                "invalid-time", "time-out-of-range", "invalid-attribute", "missing-attribute",
                "too-many-names",
            ])
        let logs = try Logs.accept(
            SentLogs(SentRecord("Canary"), SentRecord(time: 0), SentRecord(["": "canary"])))
        #expect(logs.rejections.entries.count == 3)
        for entry in logs.rejections.entries {
            #expect(!entry.detail.lowercased().contains("canary") && entry.detail.count > 10)
        }
        #expect(Set(logs.rejections.entries.map(\.detail)).count == 3)
    }

    @Test("is counted in the order of the rules whenever it is found")
    func later() {
        func place(_ record: Int) -> RecordPlace {
            RecordPlace(resource: 1, scope: 0, record: record)
        }
        var rejections = LogRejections()
        rejections.add(.tooManyNames, 2, at: place(5))
        rejections.add(.session, at: place(7))
        rejections.add(.name, at: place(9))
        rejections.addWithoutDevice(at: RecordPlace(resource: 2, scope: 0, record: 0))
        // One of the same code that stands before tells what to do.
        rejections.add(.attributeKey, at: place(6))
        rejections.add(.requiredType, at: place(8))
        rejections.add(.tooManyNames, 3, at: RecordPlace(resource: 0, scope: 9, record: 9))
        #expect(
            rejections.entries.map { "\($0.code)×\($0.count)@\($0.first)" } == [
                "invalid-device-id×1@2/0/0", "invalid-name×1@1/0/9", "invalid-attribute×3@1/0/6",
                "too-many-names×5@0/9/9",
            ])
        #expect(rejections.entries[2].detail == EventRule.attributeKey.detail)
        #expect(rejections.count == 10)
    }

    @Test("leaves nothing of itself in its batch")
    func leftovers() throws {
        let bad = SentRecord("screen.view", ["only.here": "x", "session.id": "lost"])
        let good = SentRecord("a", ["k": 1])
        let alone = try #require(try Logs.accept(SentLogs(good)).batches.first?.batch)
        for records in [[bad, good], [good, bad], [bad, bad, good, bad]] {
            let batch = try #require(
                try Logs.accept(SentLogs(records: records)).batches.first?.batch)
            #expect(batch.names == alone.names && batch.attributeKeys == alone.attributeKeys)
            #expect(batch.text == alone.text && batch.sessionsJSON == nil)
            #expect(batch.fingerprints == alone.fingerprints)
        }
    }
}
