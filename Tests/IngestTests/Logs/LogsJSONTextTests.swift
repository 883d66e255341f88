import Testing

@testable import Ingest

/// The rules of a batch's text hold for a request in JSON too, but it may lie deeper.
@Suite("the text of log records in JSON")
struct LogsJSONTextTests {
    private static let sent = SentLogs([
        SentResource(
            ["os.name": "a", "device.id": "d"], SentRecord("a", ["k": ["x": [1]], "l": "v"])),
        SentResource(scopes: [[SentRecord("b")], [SentRecord("c"), SentRecord(nil)]]),
    ])

    private func forms(_ text: String) throws -> [BatchForm] {
        Logs.forms(of: try Logs.accept(Array(text.utf8), .json))
    }

    @Test("a resource may stand after its scopes, and is read first")
    func resourceLast() throws {
        let attribute = #"{"key":"device.id","value":{"stringValue":"d"}}"#
        let resource = #""resource":{"attributes":[\#(attribute)]}"#
        let record =
            #"{"eventName":"a","timeUnixNano":\#(SentRecord.time),"#
            + #""attributes":[{"key":"\u006b","value":{"bytesValue":"AQ"}}]}"#
        let scopes = #""scopeLogs":[{},{"logRecords":[\#(record)]}]"#
        let first = try forms(#"{"resourceLogs":[{\#(resource),\#(scopes)}]}"#)
        #expect(first.count == 1 && first[0].events.count == 1)
        for text in [
            #"{"resourceLogs":[{\#(scopes),\#(resource)}]}"#,
            #" { "x" : [] , "resourceLogs" : [ { \#(scopes) , "y" : 1 , \#(resource) } ] } "#,
        ] {
            #expect(try forms(text) == first)
        }
        // The places count from the beginning all the same.
        let logs = try Logs.accept(
            Array(#"{"resourceLogs":[{},{\#(scopes),\#(resource)}]}"#.utf8), .json)
        #expect(logs.batches.first?.places.place(of: 0).description == "1/1/0")
        // A resource of null, or none, is one without a device.
        for text in [
            #"{"resourceLogs":[{\#(scopes),"resource":null}]}"#,
            #"{"resourceLogs":[{\#(scopes)}]}"#,
        ] {
            #expect(
                try Logs.accept(Array(text.utf8), .json).rejected == ["invalid-device-id×1@0/1/0"])
        }
        // What stands before it is malformed all the same.
        for bad in [#"[{"logRecords":[1]}]"#, #"[{"logRecords":[{"eventName":1}]}]"#, "[1]", "{}"] {
            let text = #"{"resourceLogs":[{"scopeLogs":\#(bad),\#(resource)}]}"#
            #expect(Logs.refusal(Array(text.utf8), .json) == .malformedLogs)
        }
    }

    @Test("a name that stands twice makes it malformed, on every level")
    func duplicates() throws {
        let text = String(decoding: Self.sent.json(), as: UTF8.self)
        #expect(try forms(text).count == 2)
        var found = 0
        for name in [
            "resourceLogs", "resource", "attributes", "key", "value", "stringValue", "scopeLogs",
            "logRecords", "eventName", "timeUnixNano", "kvlistValue", "arrayValue", "values",
            "intValue", "scope", "name",
        ] {
            let member = "\"\(name)\":"
            for range in text.ranges(of: member) {
                found += 1
                for twin in [
                    member + "null,",
                    "\"\\u00\(String(name.utf8.first ?? 0, radix: 16))\(name.dropFirst())\":null,",
                ] {
                    var twice = text
                    twice.insert(contentsOf: twin, at: range.lowerBound)
                    #expect(Logs.refusal(Array(twice.utf8), .json) == .malformedLogs, "\(name)")
                }
                // Under another name it is fine.
                var other = text
                other.insert(contentsOf: "\"\(name)2\":null,", at: range.lowerBound)
                #expect(Logs.refusal(Array(other.utf8), .json) == nil)
            }
        }
        #expect(found > 30)
    }

    @Test("it may lie 200 deep, in what is read and in what is not")
    func depth() throws {
        func nest(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        for (text, isGood) in [
            (#"{"x":\#(nest(199))}"#, true), (#"{"x":\#(nest(200))}"#, false),
            (#"{"resourceLogs":[{"scopeLogs":\#(nest(197))}]}"#, false),
        ] {
            let refusal = Logs.refusal(Array(text.utf8), .json)
            #expect(refusal == (isGood ? nil : .malformedLogs))
        }
        // A record's value is at 10; each array in it is three more: itself, its list, an element.
        func arrays(_ count: Int, _ innermost: SentValue) -> SentLogs {
            SentLogs(SentRecord(["k": (0..<count).reduce(innermost) { value, _ in [value] }]))
        }
        #expect(Logs.refusal(arrays(63, 1).json(), .json) == nil)
        let stored = try Logs.accept(arrays(63, 1).json(), .json).events.first?.attributes["k"]
        #expect(
            stored
                == "\"\(String(repeating: "[", count: 63))1\(String(repeating: "]", count: 63))\"")
        #expect(Logs.refusal(arrays(64, 1).json(), .json) == .malformedLogs)
        // At 199 a list may be there, but not its values.
        #expect(Logs.refusal(arrays(63, .raw([], #"{"arrayValue":{}}"#)).json(), .json) == nil)
        #expect(Logs.refusal(arrays(63, []).json(), .json) == .malformedLogs)
        #expect(Logs.refusal(arrays(1000, 1).json(), .json) == .malformedLogs)
        // A resource after its scopes is of no matter.
        #expect(Logs.refusal(arrays(63, 1).json(.other), .json) == nil)
        #expect(Logs.refusal(arrays(64, 1).json(.other), .json) == .malformedLogs)
    }

    @Test("known names may be written by escapes, and a like one is another")
    func escapes() throws {
        let text = String(decoding: Self.sent.json(), as: UTF8.self)
        let expected = try forms(text)
        for (name, other) in [
            ("eventName", #"\u0065ventName"#),
            ("observedTimeUnixNano", #"observedTimeUnixNan\u006f"#),
            ("resourceLogs", #"resource\u004cogs"#), ("values", #"value\u0073"#),
        ] {
            #expect(try forms(text.replacing("\"\(name)\"", with: "\"\(other)\"")) == expected)
        }
        for other in ["eventname", "eventNam\u{435}", "event_name", #"eventName\u0020"#] {
            let logs = try Logs.accept(
                Array(text.replacing("\"eventName\"", with: "\"\(other)\"").utf8), .json)
            #expect(logs.rejected == ["not-an-event×4@0/0/0"])
        }
    }

    @Test("what follows the text makes it malformed")
    func trailing() throws {
        let bytes = Self.sent.json()
        #expect(Logs.refusal(bytes + Array(" \n\t\r".utf8), .json) == nil)
        for more in ["x", "{}", ",", "]", "\0", "\u{feff}"] {
            #expect(Logs.refusal(bytes + Array(more.utf8), .json) == .malformedLogs)
        }
        #expect(Logs.refusal([0xef, 0xbb, 0xbf] + bytes, .json) == .malformedLogs)
    }
}
