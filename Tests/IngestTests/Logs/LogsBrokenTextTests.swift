import TestSupport
import Testing

@testable import Ingest

/// Texts that are not UTF-8 or have U+0000 (spec: OpenTelemetry, The mapping). `LogsHalfTextTests` has those that JSON
/// can say.
@Suite("a broken text of a log record")
struct LogsBrokenTextTests {
    /// RFC 3629: strays, overlong and cut sequences, surrogates, beyond U+10FFFF; and U+0000.
    static let broken: [[UInt8]] = [
        [0], [0x61, 0, 0x62], [0x80], [0x61, 0xff], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x80, 0x80],
        [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80],
        [0xf5, 0x80, 0x80, 0x80], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xe2, 0x28, 0xa1],
    ]

    @Test("makes a name bad, in the field and the attribute", arguments: broken)
    func name(bytes: [UInt8]) throws {
        for name in [bytes, [0x61] + bytes] {
            var record = SentRecord()
            record.name = name
            #expect(try Logs.protobufCode(record) == "invalid-name")
            let value = SentValue.text(SentText(bytes: name))
            let old = SentRecord(nil, ["event.name": value])
            #expect(try Logs.protobufCode(old) == "invalid-name")
            // It is never stored, so where it is no name it does no harm.
            let other = SentRecord(["event.name": value, "device.id": value])
            #expect(try Logs.protobufCode(other) == nil)
        }
    }

    /// Values with a text within.
    static let places: [@Sendable (SentText) -> SentValue] = [
        { .text($0) }, { [.text($0)] }, { ["a", [], [.text($0), "b"]] }, { ["k": .text($0)] },
        { .map([$0: 1]) }, { .map([$0: .empty]) }, { .map(["a": 1, $0: .absent, "b": 1]) },
        { ["a": ["b": [["c": .text($0)]]]] }, { [["k": 1], [:], .map(["x": .map([$0: 1])])] },
    ]

    @Test("makes an attribute bad, wherever it stands in its value", arguments: broken)
    func value(bytes: [UInt8]) throws {
        let text = SentText(bytes: bytes)
        for place in Self.places {
            let sent: SentAttributes = ["a": 1, "k": place(text), "z": 1]
            #expect(try Logs.protobufCode(SentRecord(sent)) == "invalid-attribute")
            #expect(try Logs.protobufCode(SentRecord(["k": place("fine")])) == nil)
            // Beyond what is stored of it there is nothing to be bad.
            let long = SentText(bytes: [UInt8](repeating: 0x61, count: 3000) + bytes)
            #expect(try Logs.protobufCode(SentRecord(["k": place(long)])) == nil)
            // The last of equal keys counts.
            #expect(try Logs.protobufCode(SentRecord(["k": place(text), "k": 1])) == nil)
            #expect(
                try Logs.protobufCode(SentRecord(["k": 1, "k": place(text)])) == "invalid-attribute"
            )
        }
    }

    @Test("makes its key bad, with whatever value", arguments: broken)
    func key(bytes: [UInt8]) throws {
        let texts = [bytes, [0x61] + bytes, Array("session.id".utf8) + bytes]
        for key in texts.map(SentText.init(bytes:)) {
            for value in [1, "x", ["x"], .empty, .absent] as [SentValue] {
                let sent: SentAttributes = ["a": 1, key: value]
                #expect(try Logs.protobufCode(SentRecord(sent)) == "invalid-attribute")
            }
        }
    }

    @Test("does no harm in a list where a later member has its key", arguments: broken)
    func replaced(bytes: [UInt8]) throws {
        let text = SentText(bytes: bytes)
        let good = SentValue.map(["k": .text(text), "a": 1, "k": "x"])
        let logs = try Logs.accept(SentLogs(SentRecord(["v": good])).protobuf, .protobuf)
        #expect(logs.events.first?.attributes["v"] == #""{\"a\":1,\"k\":\"x\"}""#)
        let bad = SentValue.map(["k": "x", "k": .text(text)])
        #expect(try Logs.protobufCode(SentRecord(["v": bad])) == "invalid-attribute")
    }

    @Test("as session.id is bad", arguments: broken)
    func session(bytes: [UInt8]) throws {
        let sent: SentAttributes = ["session.id": .text(SentText(bytes: [0x61] + bytes))]
        #expect(try Logs.protobufCode(SentRecord(sent)) == "invalid-attribute")
    }

    @Test("as a member of the resource is not given", arguments: broken)
    func member(bytes: [UInt8]) throws {
        let text = SentText(bytes: bytes)
        for place in Self.places {
            func name(_ text: SentText) throws -> String? {
                let sent: SentAttributes = ["os.name": place(text), "os.version": "18"]
                let request = SentLogs([SentResource(SentResource.device + sent, SentRecord())])
                let batch = try Logs.accept(request.protobuf, .protobuf).batches.first?.batch
                #expect(batch?.resource.osVersion == "18")
                return batch?.resource.osName
            }
            let long = [UInt8](repeating: 0x61, count: 500)
            #expect(try name(text) == "")
            #expect(try name(SentText(bytes: long + bytes)) == "")
            // As of any string, what is beyond 1,024 bytes is cut off first.
            #expect(try name(SentText(bytes: long + long + long + bytes))?.utf8.count == 128)
        }
        // A key that is none is that of no member.
        let sent: SentAttributes = [text: "x", SentText(bytes: Array("os.name".utf8) + bytes): "y"]
        let request = SentLogs([SentResource(SentResource.device + sent, SentRecord())])
        let logs = try Logs.accept(request.protobuf, .protobuf)
        #expect(logs.batches.first?.batch.resource == .init() && logs.rejections.count == 0)
    }

    @Test("is no device's identity, and that alone counts", arguments: broken)
    func identity(bytes: [UInt8]) throws {
        let id = SentValue.text(SentText(bytes: [0x61] + bytes))
        for sent in [
            ["device.id": id], ["app.installation.id": id],
            ["app.installation.id": id, "device.id": "d"],
        ] as [SentAttributes] {
            let request = SentLogs([SentResource(sent, SentRecord())])
            let logs = try Logs.accept(request.protobuf, .protobuf)
            #expect(logs.rejected == ["invalid-device-id×1@0/0/0"])
        }
        let fine: SentAttributes = ["app.installation.id": "i", "device.id": id]
        let request = SentLogs([SentResource(fine, SentRecord())])
        #expect(try Logs.accept(request.protobuf, .protobuf).events.count == 1)
    }

    @Test("does no harm where nothing is looked at", arguments: broken)
    func ignored(bytes: [UInt8]) throws {
        var record = SentRecord(["a": 1])
        record.fields =
            Wire.bytes(3, bytes) + Wire.bytes(5, Wire.bytes(1, bytes)) + Wire.bytes(9, bytes)
        let logs = try Logs.accept(SentLogs(record).protobuf, .protobuf)
        #expect(logs.events.first?.attributes == ["a": "1"])
    }

    /// Where in a text something stands that is not UTF-8, and how many bytes are stored; nil: it is rejected.
    static let cuts: [(Int, [UInt8], Int?)] = [
        // Half of a surrogate pair, as three bytes.
        (1021, [0xed, 0xa0, 0x80], nil), (1022, [0xed, 0xa0, 0x80], 1022),
        (1023, [0xed, 0xa0, 0x80], 1023), (1024, [0xed, 0xa0, 0x80], 1024),
        (1020, [0xf0, 0x9f, 0x98], nil), (1021, [0xf0, 0x9f, 0x98], 1021),
        (1022, [0xc3], nil), (1023, [0xc3], 1023), (1023, [0xff], nil), (1024, [0xff], 1024),
        (1023, [0x80], nil), (1023, [0xc0], nil), (1023, [0xf5], nil), (1024, [0x80], 1024),
        (1023, [0], nil), (1024, [0], 1024),
        (0, [UInt8](repeating: 0x80, count: 2000), nil),
        (1000, [UInt8](repeating: 0x80, count: 2000), nil),
    ]

    @Test("is cut to 1,024 bytes before it is looked at", arguments: cuts.indices)
    func cut(case index: Int) throws {
        let (place, bad, count) = Self.cuts[index]
        let text = [UInt8](repeating: 0x61, count: place) + bad + [0x62, 0x62, 0x62, 0x62]
        let value = SentValue.text(SentText(bytes: text))
        let request = SentLogs(SentRecord(["k": value, "z": 1])).protobuf
        let logs = try Logs.accept(request, .protobuf)
        let expected = count.map { "\"" + String(repeating: "a", count: $0) + "\"" }
        #expect(logs.events.first?.attributes["k"] == expected)
        #expect(logs.rejected == (count == nil ? ["invalid-attribute×1@0/0/0"] : []))
        // It is the same record as one that was sent so.
        guard let count else { return }
        let short = SentValue.text(String(repeating: "a", count: count))
        let same = try Logs.accept(SentLogs(SentRecord(["k": short, "z": 1])))
        #expect(Logs.forms(of: logs) == Logs.forms(of: same))
    }
}
