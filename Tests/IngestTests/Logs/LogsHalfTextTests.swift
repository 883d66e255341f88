import TestSupport
import Testing

@testable import Ingest

/// Texts in JSON of which an escape stands for half of a surrogate pair or for U+0000 (spec: OpenTelemetry, Reading):
/// they cost their record, as in protobuf, and not the request.
@Suite("half of a character in a log record's JSON")
struct LogsHalfTextTests {
    /// Escapes, and the bytes that say the same in protobuf.
    static let halves: [(String, [UInt8])] = [
        (#"\ud800"#, [0xed, 0xa0, 0x80]), (#"\uDFFF"#, [0xed, 0xbf, 0xbf]),
        (#"\ude00\ud83d"#, [0xed, 0xb8, 0x80, 0xed, 0xa0, 0xbd]),
        (#"\ud83dx"#, [0xed, 0xa0, 0xbd, 0x78]), (#"\ud83d\u0041"#, [0xed, 0xa0, 0xbd, 0x41]),
        (#"\ud83d\ud83d\ude00"#, [0xed, 0xa0, 0xbd, 0xf0, 0x9f, 0x98, 0x80]),
        (#"\u0000"#, [0]), (#"é\u0000"#, [0xc3, 0xa9, 0]),
    ]

    private static let mark = "@bad@"

    /// Texts with the mark in them, for JSON and, with bytes in its place, for protobuf.
    private struct Place: Sendable {
        let name: String
        let record: @Sendable (SentText) -> SentRecord
    }

    private static let places: [Place] =
        LogsBrokenTextTests.places.enumerated().map { index, place in
            Place(name: "value \(index)") { SentRecord(["a": 1, "k": place($0), "z": 1]) }
        } + [
            Place(name: "key") { SentRecord(["a": 1, $0: 1]) },
            Place(name: "key without value") { SentRecord(["a": 1, $0: .absent]) },
            Place(name: "session") { SentRecord(["session.id": .text($0)]) },
            Place(name: "old name") { SentRecord(nil, ["event.name": .text($0)]) },
            Place(name: "unstored") { SentRecord(["device.id": .text($0), "a": 1]) },
            Place(name: "name") { text in
                var record = SentRecord()
                record.name = text.bytes
                return record
            },
        ]

    /// JSON with the escape where the mark is.
    private func json(_ sent: SentLogs, _ escape: String) -> [UInt8] {
        let text = String(decoding: sent.json(), as: UTF8.self)
        #expect(text.contains(Self.mark))
        return Array(text.replacing(Self.mark, with: escape).utf8)
    }

    @Test("costs its record alone, and is what protobuf makes of the same", arguments: halves)
    func agreement(escape: String, bytes: [UInt8]) throws {
        let good = SentRecord("good", ["i": 1])
        for place in Self.places {
            for (lead, tail) in [("", ""), ("x", "y"), (String(repeating: "x", count: 2000), "")] {
                let marked = SentText(lead + Self.mark + tail)
                let broken = SentText(bytes: Array(lead.utf8) + bytes + Array(tail.utf8))
                let fromJSON = try Logs.accept(
                    json(SentLogs(good, place.record(marked), good), escape), .json)
                let fromProtobuf = try Logs.accept(
                    SentLogs(good, place.record(broken), good).protobuf, .protobuf)
                #expect(Logs.forms(of: fromJSON) == Logs.forms(of: fromProtobuf), "\(place.name)")
                #expect(fromJSON.rejected == fromProtobuf.rejected, "\(place.name)")
                #expect(fromJSON.events.count { $0.name == "good" } == 2)
                guard lead.count < 1024, place.name != "unstored" else { continue }
                let code = place.name.hasSuffix("name") ? "invalid-name" : "invalid-attribute"
                #expect(fromJSON.rejected == ["\(code)×1@0/0/1"], "\(place.name)")
            }
        }
    }

    @Test("in a resource costs what it stands in", arguments: halves)
    func resource(escape: String, bytes: [UInt8]) throws {
        let marked = SentText("x" + Self.mark)
        func logs(_ attributes: SentAttributes) throws -> AcceptedLogs {
            let sent = SentLogs([
                SentResource(attributes, SentRecord()),
                SentResource(["device.id": "other"], SentRecord("b")),
            ])
            return try Logs.accept(json(sent, escape), .json)
        }
        let id = try logs(["device.id": .text(marked)])
        #expect(id.rejected == ["invalid-device-id×1@0/0/0"])
        #expect(id.events.map(\.name) == ["b"])
        for attributes in [
            ["os.name": .text(marked), "device.id": "d"], [marked: 1, "device.id": "d"],
            ["page.title": .text(marked), "device.id": "d"],
            ["app.installation.id": "d", "device.id": .text(marked)],
        ] as [SentAttributes] {
            let found = try logs(attributes)
            #expect(found.rejected == [] && found.events.map(\.name) == ["app.tap", "b"])
            #expect(found.batches[0].batch.resource == .init())
        }
    }

    @Test("does no harm where nothing is looked at, in names too", arguments: halves)
    func ignored(escape: String, bytes: [UInt8]) throws {
        let plain = String(decoding: SentLogs(SentRecord(["k": "v"])).json(), as: UTF8.self)
        let expected = Logs.forms(of: try Logs.accept(Array(plain.utf8), .json))
        var found = 0
        for name in ["resourceLogs", "resource", "scopeLogs", "logRecords", "eventName", "key"] {
            for range in plain.ranges(of: "\"\(name)\":") {
                for more in [
                    #""body":{"stringValue":"\#(escape)"},"#, #""\#(escape)":1,"#,
                    #""x":[{"\#(escape)":["\#(escape)"]},null],"#, #""traceId":"a\#(escape)b","#,
                ] {
                    found += 1
                    var text = plain
                    text.insert(contentsOf: more, at: range.lowerBound)
                    let logs = try Logs.accept(Array(text.utf8), .json)
                    #expect(Logs.forms(of: logs) == expected, "\(name) \(more)")
                }
                // A name that stands twice is malformed all the same.
                var text = plain
                text.insert(
                    contentsOf: #""\#(escape)":1,"\#(escape)":2,"#, at: range.lowerBound)
                #expect(Logs.refusal(Array(text.utf8), .json) == .malformedLogs)
            }
        }
        #expect(found > 24)
    }

    @Test("is cut off at the cut of 1,024 bytes")
    func cut() throws {
        for (place, escape, count) in [
            (1021, #"\ud83d"#, nil), (1022, #"\ud83d"#, 1022), (1023, #"\ud83d"#, 1023),
            (1024, #"\ud83d"#, 1024), (1022, #"\ud83dyyyy"#, 1022), (1023, #"\u0000"#, nil),
            (1024, #"\u0000"#, 1024), (1020, #"\ud83d\ude00"#, 1024),
            (1021, #"\ud83d\ude00"#, 1021),
        ] as [(Int, String, Int?)] {
            let sent = SentLogs(
                SentRecord(["k": .text(String(repeating: "a", count: place) + Self.mark)]))
            let stored = try Logs.accept(json(sent, escape), .json).events.first?.attributes["k"]
            #expect(stored.map { $0.utf8.count - 2 } == count, "\(place) \(escape)")
        }
    }

    @Test("is no number, no base64 and no raw text")
    func malformed() throws {
        let text = String(
            decoding: SentLogs(SentRecord("name", ["key": "text"])).json(), as: UTF8.self)
        for member in ["intValue", "doubleValue", "bytesValue"] {
            for escape in [#"\ud800"#, #"1\u0000"#, #"AA\udc00="#] {
                let bad = text.replacing(
                    #""stringValue":"text""#, with: "\"\(member)\":\"\(escape)\"")
                #expect(bad != text)
                #expect(Logs.refusal(Array(bad.utf8), .json) == .malformedLogs, "\(member)")
            }
        }
        // Bytes that are not UTF-8 are no JSON, wherever they stand.
        for word in ["name", "key", "text", "d-1", "lib"] {
            let at = text.utf8.count - (text.split(separator: "\"\(word)\"").last?.utf8.count ?? 0)
            for bytes in LogsBrokenTextTests.broken {
                var broken = Array(text.utf8)
                broken.insert(contentsOf: bytes, at: at - 1)
                #expect(Logs.refusal(broken, .json) == .malformedLogs, "\(word) \(bytes)")
            }
        }
    }
}
