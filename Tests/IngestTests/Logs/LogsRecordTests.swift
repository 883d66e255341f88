import Events
import Testing

@testable import Ingest

/// spec: OpenTelemetry, The mapping: what records become.
@Suite("a log record")
struct LogsRecordTests {
    @Test("becomes an event with its name, time and attributes")
    func whole() throws {
        let record = SentRecord(
            "app.tap", time: 1_763_699_999_123_999_999, observed: 1_763_699_000_000_000_000,
            ["session.id": "s-1", "b": 1, "a": "x"])
        let expected = StoredEvent(
            index: 0, name: "app.tap", time: 1_763_699_999_123, session: "s-1",
            attributes: ["a": #""x""#, "b": "1"])
        #expect(try Logs.events(record) == [expected])
    }

    @Test("is stored with what the request proves, uncorrected and without a key")
    func batch() throws {
        let sent = SentLogs(SentRecord(), SentRecord("b"))
        let bytes = sent.protobuf
        let batch = try #require(try Logs.accept(bytes, .protobuf).batches.first?.batch)
        #expect(batch.app == 7 && batch.profile == .otlp && batch.receivedAt == arrival)
        #expect(batch.key == nil && batch.sequence == nil && batch.droppedEvents == 0)
        #expect(batch.clockShift == 0 && batch.bodyBytes == bytes.count)
        #expect(batch.events.map(\.index) == [0, 1] && batch.fingerprints.count == 2)
        #expect(batch.batchID.wholeMatch(of: /otlp:[0-9a-f]{32}/) != nil)
    }

    /// Records without a time, and the name that they give; nil: they are no events.
    static let names: [(String?, SentAttributes, String?)] = [
        ("a", [:], "a"), ("a", ["event.name": "b"], "a"), ("a", ["event.name": 5], "a"),
        (nil, ["event.name": "b"], "b"), ("", ["event.name": "b"], "b"),
        (nil, ["x": 1, "event.name": "old", "event.name": "b", "y": 1], "b"),
        (nil, [:], nil), ("", [:], nil), (nil, ["event.name": 5], nil),
        (nil, ["event.name": true], nil), (nil, ["event.name": .bytes([0x61])], nil),
        (nil, ["event.name": ["b"]], nil), (nil, ["event.name": .empty], nil),
        (nil, ["event.name": .absent], nil), ("", ["event.Name": "b", "name": "c"], nil),
        (nil, ["event.name": "b", "event.name": 5], nil),
        ("session.start", ["session.id": "s"], "session.start"),
    ]

    @Test("has the name of its field, else of the attribute event.name", arguments: names.indices)
    func name(case index: Int) throws {
        let (name, attributes, expected) = Self.names[index]
        let logs = try Logs.accept(SentLogs(SentRecord(name, attributes)))
        #expect(logs.events.map(\.name) == (expected.map { [$0] } ?? []))
        #expect(logs.rejected == (expected == nil ? ["not-an-event×1@0/0/0"] : []))
        #expect(logs.events.allSatisfy { $0.attributes["event.name"] == nil })
    }

    @Test("has the time at which it was seen where it has no other, rounded down")
    func time() throws {
        let (millisecond, base): (UInt64, UInt64) = (1_000_000, UInt64(arrival - 7000))
        for (time, observed, expected) in [
            (base * millisecond, nil, base), (base * millisecond + 999_999, nil, base),
            (base * millisecond - 1, nil, base - 1), (0, base * millisecond + 1, base),
            (nil, base * millisecond + 999_999, base), (base * millisecond, 0, base),
            (base * millisecond, (base + 5) * millisecond, base),
            (base * millisecond, .max, base),
        ] as [(UInt64?, UInt64?, UInt64)] {
            let events = try Logs.events(SentRecord(time: time, observed: observed))
            #expect(events.map(\.time) == [Int64(expected)])
        }
    }

    @Test("stores all its attributes but those that never are", arguments: LogMapping.unstored)
    func unstored(key: String) throws {
        for value in ["x", 5, ["x"], nil, ""] as [SentValue] {
            let sent = SentAttributes(key, value) + ["kept": 1, SentText(key + "s"): 2]
            #expect(try Logs.attributes(sent) == ["kept": "1", key + "s": "2"])
        }
        #expect(LogMapping.unstored == ["event.name", "app.installation.id", "device.id"])
        // They do not count among 32 either.
        let many = SentAttributes((0..<32).map { (key: SentText("k\($0)"), value: 1) })
        #expect(try Logs.attributes(many + SentAttributes(key, "x"))?.count == 32)
    }

    @Test("takes the last of equal keys, among few and among many")
    func last() throws {
        let padding = SentAttributes(
            (0..<58).map { (key: SentText("k\($0 / 2)"), value: SentValue.int($0 % 2 + 1)) })
        for more in [[:], padding] {
            let sent: SentAttributes =
                ["a": 1, "b": "x", "a": "y", "c": 1] + more + ["a": true, "c": .empty]
            var stored = try Logs.attributes(sent)
            #expect(stored?["a"] == "true" && stored?["b"] == #""x""# && stored?["c"] == nil)
            stored?["a"] = nil
            stored?["b"] = nil
            #expect(stored?.count == more.pairs.count / 2)
            #expect(stored?.values.allSatisfy { $0 == "2" } == true)
        }
        let session = try Logs.events(SentRecord(["session.id": 5, "session.id": "s"]))
        #expect(session.map(\.session) == ["s"])
    }

    @Test("has keys that differ in their ends or lengths alone told apart")
    func similarKeys() throws {
        let long = String(repeating: "k", count: 63)
        let keys = ["abcdefgh", "abcdefgha", "abcdefghb", "abcdefg", "a", long, long + "1", "é"]
        for order in [keys, keys.reversed()] {
            let sent = order.map { (key: SentText($0), value: SentValue.text($0)) }
            let stored = try #require(try Logs.attributes(SentAttributes(sent)))
            #expect(stored.count == keys.count)
            #expect(keys.allSatisfy { stored[$0] == "\"\($0)\"" })
        }
        // Equal by meaning alone: Swift's own texts would be one.
        let accents: SentAttributes = ["\u{e9}": 1, "e\u{301}": 2]
        #expect(
            try Logs.accept(SentLogs(SentRecord(accents))).batches[0].batch.attributeKeys.count == 2
        )
    }

    @Test("is read whatever else it has")
    func ignored() throws {
        var sent = SentLogs(SentRecord(["a": 1]))
        let plain = Logs.forms(of: try Logs.accept(sent))
        sent.resources[0].scopes[0][0].members =
            #","body":{"stringValue":"x"},"severityNumber":9,"severityText":"INFO","traceId":"ab","#
            + #""spanId":7,"flags":[],"droppedAttributesCount":"no","unknown":{"attributes":[1]}"#
        sent.resources[0].members = #","schemaUrl":5,"deprecatedScopes":[{"logRecords":[{}]}]"#
        #expect(Logs.forms(of: try Logs.accept(sent)) == plain)
    }

    @Test("is nothing where there is none")
    func none() throws {
        for sent in [
            SentLogs([]), SentLogs([SentResource(scopes: [])]),
            SentLogs([SentResource(scopes: [[], []]), SentResource([:], scopes: [[]])]),
        ] {
            let logs = try Logs.accept(sent)
            #expect(logs.batches.isEmpty && logs.rejections.count == 0)
            #expect(logs.refusedResources == 0 && logs.device == nil && logs.rest == nil)
        }
    }
}
