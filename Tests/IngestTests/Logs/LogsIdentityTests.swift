import Events
import TestSupport
import Testing

@testable import Ingest

/// By what batches and records are known again (spec: OpenTelemetry, Reading: Repeats).
@Suite("a batch of log records is known again")
struct LogsIdentityTests {
    private static let attributes: SentAttributes = [
        "session.id": "s", "b": 1, "a": "x", "list": ["k": [1, nil]], "z": .bytes([1]),
    ]
    private static let records = [
        SentRecord("a", attributes), SentRecord("b"), SentRecord("b", time: SentRecord.time + 1),
        SentRecord("screen.view"), SentRecord(nil, time: SentRecord.time + 2),
    ]
    private static let resource: SentAttributes = SentAttributes(
        Resource.members.map { (key: SentText($0), value: SentValue.text("v " + $0)) })

    private func batch(
        _ records: [SentRecord] = records, _ resource: SentAttributes = resource
    ) throws -> AcceptedBatch {
        let sent = SentLogs([SentResource(SentResource.device + resource, scopes: [records])])
        let batches = try Logs.accept(sent).batches
        #expect(batches.count == 1)
        return try #require(batches.first?.batch)
    }

    private func id(_ sent: SentLogs) throws -> String? {
        try Logs.accept(sent).batches.first?.batch.batchID
    }

    @Test("whatever the order of its records and how they lie in scopes")
    func records() throws {
        let expected = try batch()
        var source = SplitMix(seed: 21)
        for round in 0..<20 {
            let shuffled = Self.records.shuffled(using: &source)
            let cut = round % (shuffled.count + 1)
            let scopes = [Array(shuffled[..<cut]), [], Array(shuffled[cut...])]
            let sent = SentLogs([SentResource(SentResource.device + Self.resource, scopes: scopes)])
            let found = try #require(try Logs.accept(sent).batches.first?.batch)
            #expect(found.batchID == expected.batchID)
            #expect(found.fingerprints.sorted() == expected.fingerprints.sorted())
            #expect(found.fingerprints.count == found.events.count)
            // In order of index.
            for (event, print) in zip(found.stored, found.fingerprints) {
                let same = expected.stored.firstIndex {
                    $0.name == event.name && $0.attributes == event.attributes
                        && (event.name == "a" || expected.fingerprints[$0.index] == print)
                }
                #expect(same.map { expected.fingerprints[$0] } == print)
            }
        }
    }

    @Test("whatever the order of attributes, and whatever is ignored")
    func ignored() throws {
        let expected = try batch().batchID
        var changed = Self.records
        changed[0].attributes = SentAttributes(Self.attributes.pairs.reversed())
        changed[0].attributes = ["a": "old"] + changed[0].attributes + ["none": .empty]
        changed[0].attributes =
            changed[0].attributes + ["event.name": "x", "device.id": "y", "app.installation.id": 5]
        changed[0].observedTime = 77
        changed[0].fields = Wire.fixed32(8, 1) + Wire.text(3, "INFO") + Wire.bytes(5, [])
        changed[0].members = #","severityText":"INFO","body":{"stringValue":"x"}"#
        changed[1] = SentRecord(nil, time: 0, observed: SentRecord.time, ["event.name": "b"])
        changed[3].attributes = ["anything": 1]
        let other: SentAttributes = ["service.name": "x", "os.type": "y", "device.id": "other"]
        let resource = SentAttributes(Self.resource.pairs.reversed()) + other
        #expect(try batch(changed, resource).batchID == expected)
        // What is rejected is known by its code and time alone.
        var rejected = Self.records
        rejected[3] = SentRecord("content.view", ["k": "other"])
        rejected[4] = SentRecord(nil, time: SentRecord.time + 2, ["k": 1])
        #expect(try batch(rejected).batchID == expected)
        #expect(try batch(rejected).rejected == 2)
    }

    @Test("whatever it stands beside, and when it arrives")
    func company() throws {
        let expected = try batch()
        let mine = SentResource(SentResource.device + Self.resource, scopes: [Self.records])
        for others in [
            [SentResource([:], SentRecord())], [SentResource(["device.id": "2"], SentRecord("x"))],
            [SentResource(SentResource.device, SentRecord("x"))], [mine],
        ] {
            for sent in [SentLogs(others + [mine]), SentLogs([mine] + others)] {
                let found = try Logs.accept(sent).batches.filter {
                    $0.batch.batchID == expected.batchID
                }
                #expect(
                    found.count == (others.count == 1 && others[0].scopes[0].count == 5 ? 2 : 1))
                #expect(found.allSatisfy { $0.batch.fingerprints == expected.fingerprints })
            }
        }
    }

    /// What makes it another batch.
    struct Change: Sendable {
        let name: String
        /// Changes the records.
        var work: @Sendable (inout [SentRecord]) -> Void = { _ in }
        /// Added to the first record's.
        var attributes: SentAttributes = [:]
        /// Added to the resource's.
        var resource: SentAttributes = [:]

        func made() -> (records: [SentRecord], resource: SentAttributes) {
            var records = LogsIdentityTests.records
            work(&records)
            records[0].attributes = records[0].attributes + attributes
            return (records, LogsIdentityTests.resource + resource)
        }
    }

    static let changes: [Change] =
        [
            Change(name: "a nanosecond", work: { $0[0].time? += 1 }),
            Change(name: "a name", work: { $0[0].name = Array("c".utf8) }),
            Change(name: "a session's end", work: { $0[0].name = Array("session.end".utf8) }),
            Change(name: "one record more", work: { $0.append(SentRecord("c")) }),
            Change(name: "one less", work: { $0.remove(at: 1) }),
            Change(name: "a repeated one", work: { $0.append($0[0]) }),
            Change(name: "a repeated rejected one", work: { $0.append($0[3]) }),
            Change(name: "one less that is rejected", work: { $0.removeLast() }),
            Change(name: "a rejected one's time", work: { $0[3].time? += 1 }),
            Change(name: "a rejected one's code", work: { $0[3].name = Array("Bad".utf8) }),
            Change(name: "one is rejected", work: { $0[1].name = Array("screen.view".utf8) }),
            Change(name: "a value", attributes: ["b": 2]),
            Change(name: "its kind", attributes: ["b": "1"]),
            Change(name: "a value deep inside", attributes: ["list": ["k": [2, nil]]]),
            Change(name: "a key", attributes: ["b": .empty, "c": 1]),
            Change(name: "one attribute more", attributes: ["c": 1]),
            Change(name: "one attribute less", attributes: ["b": .empty]),
            Change(name: "the session", attributes: ["session.id": "t"]),
            Change(name: "no session", attributes: ["session.id": .empty]),
        ] + Resource.members.map { Change(name: $0, resource: [SentText($0): "other"]) }
        + Resource.members.map { Change(name: "no " + $0, resource: [SentText($0): .empty]) }

    @Test("by each of these alone", arguments: changes.indices)
    func alone(case index: Int) throws {
        let change = Self.changes[index]
        let before = try batch()
        let after = try batch(change.made().records, change.made().resource)
        #expect(after.batchID != before.batchID, "\(change.name)")
        // Records are known by the resource too, and by nothing of the others.
        let same = Set(after.fingerprints).intersection(before.fingerprints).count
        #expect(change.resource.pairs.isEmpty ? same >= 2 : same == 0, "\(change.name)")
    }

    @Test("all of these are different")
    func distinct() throws {
        var ids: Set<String> = [try batch().batchID]
        for change in Self.changes {
            ids.insert(try batch(change.made().records, change.made().resource).batchID)
        }
        #expect(ids.count == Self.changes.count + 1 && ids.count == 36)
    }

    @Test("texts are not run together")
    func lengths() throws {
        var ids: Set<String> = []
        for attributes in [
            ["a": "bc", "d": "e"], ["a": "b", "cd": "e"], ["ab": "c", "d": "e"], ["a": "bcde"],
            ["a": #"b","c":"d"#], ["a": "b", "c": "d"], [:], ["a": ""],
        ] as [SentAttributes] {
            ids.insert(try batch([SentRecord("a", attributes)]).batchID)
            ids.insert(try batch([SentRecord("aa", attributes)]).batchID)
        }
        #expect(ids.count == 16)
        let texts: [SentAttributes] = [
            ["os.name": "ab"], ["os.name": "a", "os.version": "b"], ["os.version": "ab"],
        ]
        #expect(Set(try texts.map { try batch(Self.records, $0).batchID }).count == 3)
    }

    @Test("by the record as it is stored: what becomes the same is the same")
    func mapped() throws {
        let long = String(repeating: "a", count: 1024)
        for (one, two) in [
            (["k": .int(.max)], ["k": "9223372036854775807"]), (["k": .double(.nan)], ["k": "NaN"]),
            (["k": .bytes([1])], ["k": "AQ=="]), (["k": [1]], ["k": "[1]"]), (["k": 1.0], ["k": 1]),
            (["k": .text(long + "b")], ["k": .text(long + "c")]), (["k": -0.0], ["k": 0]),
            (["k": ["a": 1, "b": 2]], ["k": ["b": 2, "a": 1]]),
            (["session.id": .bytes([1])], ["session.id": "AQ=="]),
        ] as [(SentAttributes, SentAttributes)] {
            let (left, right) = (try batch([SentRecord(one)]), try batch([SentRecord(two)]))
            #expect(left.batchID == right.batchID && left.fingerprints == right.fingerprints)
        }
        let state: SentAttributes = ["session.id": "s", "ios.app.state": "background"]
        #expect(
            try batch([SentRecord("device.app.lifecycle", state)]).batchID
                == batch([SentRecord("session.end", state)]).batchID)
    }

    /// Computed with Python's hashlib from the form in `RecordDigests`: no version may change it.
    @Test("by a form that never changes")
    func fixed() throws {
        let sent = SentLogs([
            SentResource(
                ["device.id": "d", "os.name": "iOS", "app.build_id": 7],
                SentRecord(
                    "a.b", time: 1_763_700_000_000_000_001, ["session.id": "s\n", "n": 1.5]),
                SentRecord(nil, time: 1_763_700_000_000_000_002))
        ])
        let batch = try #require(try Logs.accept(sent).batches.first?.batch)
        #expect(batch.batchID == "otlp:c718c9ecadd4ee965d466ecea57ff533")
        #expect(batch.fingerprints == [Fingerprint(0xa74f22c1c47d96d0)])
    }
}
