import Testing

@testable import Ingest

/// spec: OpenTelemetry, Reading: JSON.
@Suite("log records in JSON")
struct LogsJSONTests {
    private static let time = "\(SentRecord.time)"

    /// A request with one record of these members.
    private func request(record: String) -> [UInt8] {
        let resource = #"{"attributes":[{"key":"device.id","value":{"stringValue":"d"}}]}"#
        let scopes = #"[{"logRecords":[\#(record)]}]"#
        return Array(
            #"{"resourceLogs":[{"resource":\#(resource),"scopeLogs":\#(scopes)}]}"#.utf8)
    }

    private func event(record: String) throws -> StoredEvent? {
        try Logs.accept(request(record: record), .json).events.first
    }

    private func record(value: String) -> String {
        #"{"eventName":"a","timeUnixNano":\#(Self.time),"#
            + #""attributes":[{"key":"k","value":\#(value)}]}"#
    }

    /// What becomes of the attribute `k` with that value.
    private func stored(value: String) throws -> String? {
        try event(record: record(value: value))?.attributes["k"]
    }

    private func isMalformed(record: String) -> Bool {
        Logs.refusal(request(record: record), .json) == .malformedLogs
    }

    @Test("null is absent, wherever a member stands")
    func null() throws {
        for text in ["{}", #"{"resourceLogs":null}"#, #"{"resourceLogs":[]}"#] {
            #expect(try Logs.accept(Array(text.utf8), .json).batches.isEmpty)
        }
        for text in [
            #"{"resource":null,"scopeLogs":null}"#, "{}", #"{"scopeLogs":[]}"#,
            #"{"resource":{"attributes":null},"scopeLogs":[{"logRecords":null}]}"#,
            #"{"resource":{},"scopeLogs":[{}]}"#,
        ] {
            let logs = try Logs.accept(Array(#"{"resourceLogs":[\#(text)]}"#.utf8), .json)
            #expect(logs.batches.isEmpty && logs.rejections.count == 0)
        }
        let record = #"{"eventName":"a","timeUnixNano":null,"observedTimeUnixNano":\#(Self.time),"#
        for attributes in ["null", "[]", #"[{"key":"k"}]"#, #"[{"key":"k","value":null}]"#] {
            let event = try event(record: record + #""attributes":\#(attributes)}"#)
            #expect(event?.time == arrival - 5000 && event?.attributes == [:])
        }
        let old =
            #"{"eventName":null,"timeUnixNano":\#(Self.time),"attributes":"#
            + #"[{"key":"event.name","value":{"stringValue":"b"}}]}"#
        #expect(try event(record: old)?.name == "b")
        for (value, expected) in [
            ("{}", nil), (#"{"stringValue":null}"#, nil),
            (#"{"arrayValue":null,"bytesValue":null}"#, nil),
            (#"{"stringValue":"x","intValue":null}"#, #""x""#),
            (#"{"stringValue":null,"intValue":5}"#, "5"),
            (#"{"arrayValue":{"values":null}}"#, #""[]""#), (#"{"arrayValue":{}}"#, #""[]""#),
            (#"{"kvlistValue":{"values":null}}"#, #""{}""#), (#"{"kvlistValue":{}}"#, #""{}""#),
            (#"{"arrayValue":{"values":[{},{"intValue":null}]}}"#, #""[null,null]""#),
            (
                #"{"kvlistValue":{"values":[{"key":"a","value":null},{"key":null},"#
                    + #"{"value":{"boolValue":true},"key":"b"}]}}"#,
                #""{\"\":null,\"a\":null,\"b\":true}""#
            ),
        ] as [(String, String?)] {
            #expect(try stored(value: value) == expected, "\(value)")
        }
        #expect(isMalformed(record: #"{"attributes":[{"key":null,"value":{"intValue":{}}}]}"#))
        // A key that is absent is an empty one.
        let empty =
            #"{"eventName":"a","timeUnixNano":\#(Self.time),"#
            + #""attributes":[{"value":{"intValue":1}}]}"#
        #expect(
            try Logs.accept(request(record: empty), .json).rejected == ["invalid-attribute×1@0/0/0"]
        )
    }

    @Test("unknown members are ignored, snake_case ones among them, on every level")
    func unknown() throws {
        let more =
            #""resource_logs":1,"scope_logs":{},"log_records":"x","event_name":"Bad","#
            + #""time_unix_nano":{},"#
            + #""string_value":[],"Key":1,"values_":[[{}]],"stringvalue":5,"":null,"trace_id":9,"#
            + #""observed_time_unix_nano":true,"deep":{"resource":[],"attributes":{"key":1}},"#
        let list = #"{\#(more)"arrayValue":{\#(more)"values":[{\#(more)"intValue":1}]}}"#
        let attribute = #"{\#(more)"key":"k","value":{\#(more)"stringValue":"x"}}"#
        let other = #"{\#(more)"key":"l","value":\#(list)}"#
        let record =
            #"{\#(more)"eventName":"a","timeUnixNano":\#(Self.time),"#
            + #""attributes":[\#(attribute),\#(other)]}"#
        let device = #"{\#(more)"key":"device.id","value":{"stringValue":"d"}}"#
        let text =
            #"{\#(more)"resourceLogs":[{\#(more)"resource":{\#(more)"attributes":[\#(device)]},"#
            + #""scopeLogs":[{\#(more)"logRecords":[\#(record)]}]}]}"#
        let found = try Logs.accept(Array(text.utf8), .json)
        let plain = SentLogs([
            SentResource(["device.id": "d"], SentRecord("a", ["k": "x", "l": [1]]))
        ])
        #expect(Logs.forms(of: found) == Logs.forms(of: try Logs.accept(plain)))
    }

    /// Integers, and what they are worth; nil: malformed.
    static let integers: [(String, String?)] = [
        ("5", "5"), (#""5""#, "5"), ("-5", "-5"), (#""-5""#, "-5"), ("0", "0"), ("-0", "0"),
        (#""-0""#, "0"), (#""007""#, "7"), (#""\u0035\u0031""#, "51"),
        ("9007199254740993", #""9007199254740993""#),
        ("9223372036854775807", #""9223372036854775807""#),
        (#""9223372036854775807""#, #""9223372036854775807""#),
        ("-9223372036854775808", #""-9223372036854775808""#),
        (#""-9223372036854775808""#, #""-9223372036854775808""#),
        // Beyond 64 bits, as JavaScript writes them too.
        ("9223372036854775808", #""9223372036854775808""#),
        (#""9223372036854775808""#, #""9223372036854775808""#),
        (#""-9223372036854775809""#, #""-9223372036854775809""#),
        ("-9223372036854775809", #""-9223372036854775809""#),
        ("18446744073709552000", #""18446744073709552000""#),
        (#""0018446744073709551616""#, #""18446744073709551616""#),
        (#""\u0039999999999999999999""#, #""9999999999999999999""#),
        ("1e+21", #""1000000000000000000000""#), ("-12.5E20", #""-1250000000000000000000""#),
        ("1e999", "\"1" + String(repeating: "0", count: 999) + "\""),
        // Whole, in another form.
        ("1.0", "1"), ("1e3", "1000"), (#""1.0""#, "1"), (#""1e3""#, "1000"), ("-5.00", "-5"),
        ("-0.0", "0"), ("0e999", "0"), ("0.000e-999", "0"), ("100e-2", "1"), ("123.45e2", "12345"),
        (#""007.0""#, "7"), (#""1.2\u0065+1""#, "12"),
        ("9007199254740993.0", #""9007199254740993""#),
        ("1.5", nil), (#""1.5""#, nil), ("15e-1", nil), ("1e-3", nil), ("1e-999", nil),
        // More than three digits of an exponent, whatever it comes to.
        ("1e1000", nil), ("1e0001", nil), ("0e0000", nil), ("1e-0000", nil), (#""1e+0003""#, nil),
        (#""+5""#, nil), (#"" 5""#, nil), (#""5 ""#, nil), (#""""#, nil), (#""5.""#, nil),
        (#"".5""#, nil), (#""1e""#, nil), (#""1e+""#, nil), (#""1.0.0""#, nil), (#""e3""#, nil),
        (#""-""#, nil), (#""--5""#, nil), (#""0x5""#, nil), (#""٥""#, nil), ("true", nil),
        ("{}", nil),
        ("[5]", nil), (#""NaN""#, nil),
    ]

    @Test("integers are digits, as a string or a number", arguments: integers.indices)
    func integer(case index: Int) throws {
        let (json, expected) = Self.integers[index]
        let value = #"{"intValue":\#(json)}"#
        guard let expected else {
            #expect(isMalformed(record: record(value: value)))
            #expect(isMalformed(record: record(value: #"{"arrayValue":{"values":[\#(value)]}}"#)))
            return
        }
        #expect(try stored(value: value) == expected)
        let digits = expected.replacing("\"", with: "")
        #expect(try stored(value: #"{"arrayValue":{"values":[\#(value)]}}"#) == "\"[\(digits)]\"")
    }

    @Test("an integer of very many digits is cut as any string, in a list too")
    func longInteger() throws {
        let digits = String(repeating: "7", count: 3000)
        let cut = String(repeating: "7", count: 1024)
        for json in [digits, "\"\(digits)\"", "\"000\(digits)\"", digits + "e999", digits + ".0"] {
            let value = #"{"intValue":\#(json)}"#
            #expect(try stored(value: value) == "\"\(cut)\"")
            let list = #"{"arrayValue":{"values":[\#(value)]}}"#
            #expect(try stored(value: list) == "\"[\(cut.dropLast())\"")
        }
    }

    @Test("an integer beyond 64 bits counts as what it becomes")
    func hugeInteger() throws {
        let version = #"{"key":"os.version","value":{"intValue":18446744073709552000}},"#
        let device = #"{"key":"device.id""#
        let text = String(decoding: request(record: record(value: "{}")), as: UTF8.self)
            .replacing(device, with: version + device)
        let logs = try Logs.accept(Array(text.utf8), .json)
        #expect(logs.batches.first?.batch.resource.osVersion == "18446744073709552000")
        let id = text.replacing(#"{"stringValue":"d"}"#, with: #"{"intValue":1e21}"#)
        #expect(try Logs.accept(Array(id.utf8), .json).rejected == ["invalid-device-id×1@0/0/0"])
        let session = record(value: #"{"intValue":1e19}"#)
            .replacing(#""k""#, with: #""session.id""#)
        #expect(try event(record: session)?.session == "10000000000000000000")
        // As the string that it becomes it is the same record.
        let one = try Logs.accept(request(record: record(value: #"{"intValue":1e21}"#)), .json)
        let string = record(value: #"{"stringValue":"1000000000000000000000"}"#)
        let same = try Logs.accept(request(record: string), .json)
        #expect(Logs.forms(of: one) == Logs.forms(of: same))
    }

    @Test("what an exponent adds to an integer counts as inflated, wherever it stands")
    func addedDigits() throws {
        let value = #"{"intValue":1e999}"#
        let added = 1000 - "1e999".count
        // Of a list no more is made than is kept: the second number is cut.
        let addedInList = added + 1032 - "[,".count - 1000 - "1e999".count
        let device = #"{"key":"device.id""#
        let plain = String(decoding: request(record: record(value: "{}")), as: UTF8.self)
        for (text, count) in [
            (record(value: value), added),
            (record(value: #"{"intValue":"1\u0065999"}"#), added),
            (record(value: #"{"arrayValue":{"values":[\#(value),\#(value)]}}"#), addedInList),
        ].map({ (String(decoding: request(record: $0), as: UTF8.self), $1) }) + [
            (
                plain.replacing(device, with: #"{"key":"os.version","value":\#(value)},"# + device),
                added
            )
        ] {
            for (room, refusal) in [(count, nil), (count - 1, .inflatedTooLarge)]
                as [(Int, BatchRefusal?)]
            {
                let bytes = text.utf8.count + room
                func limits(_ bytes: Int) -> IngestLimits {
                    IngestLimits(
                        maxInflatedBytes: bytes, maxBatchEvents: 1, maxEventAge: 400 * 86_400_000)
                }
                let worker = IngestWorker(limits: limits(bytes), pepper: [1])
                #expect(Logs.refusal(Array(text.utf8), .json, by: worker) == refusal, "\(text)")
                // On a loop they are left to others.
                let loop = IngestWorker(
                    limits: limits(.max).atMost(inflatedBytes: bytes, elements: 1000), pepper: [1])
                #expect(
                    Logs.refusal(Array(text.utf8), .json, by: loop)
                        == refusal.map { _ in .tooMuchHere }, "\(text)")
            }
        }
    }

    @Test("times are unsigned integers of 64 bits, whatever else a record has")
    func times() throws {
        for time in [Self.time, "\"\(Self.time)\"", "\"000\(Self.time)\""] {
            for name in ["timeUnixNano", "observedTimeUnixNano"] {
                #expect(
                    try event(record: #"{"eventName":"a","\#(name)":\#(time)}"#)?.time == arrival
                        - 5000)
            }
        }
        for time in [
            "18446744073709551615", #""18446744073709551615""#, "1e18", #""1.5e18""#, "1.0",
        ] {
            let logs = try Logs.accept(
                request(record: #"{"eventName":"a","timeUnixNano":\#(time)}"#), .json)
            #expect(logs.rejected == ["time-out-of-range×1@0/0/0"])
        }
        // What does not fit is 0, too.
        for time in [
            "0", "\"0\"", "-0", "-1", #""-1""#, "-1763700000000000000", "18446744073709551616",
            #""18446744073709551616""#, "1e20", #""1e999""#, "-1e20",
        ] {
            let logs = try Logs.accept(
                request(record: #"{"eventName":"a","timeUnixNano":\#(time)}"#), .json)
            #expect(logs.rejected == ["invalid-time×1@0/0/0"])
            let observed = #","observedTimeUnixNano":\#(Self.time)"#
            #expect(
                try event(record: #"{"eventName":"a","timeUnixNano":\#(time)\#(observed)}"#)?.time
                    == arrival - 5000)
        }
        for time in [
            "1.5", "1e-1", "1e1000", #""1e1000""#, #""""#, "true", "[]", "{}",
            #""2025-11-21T04:40:00Z""#,
        ] {
            for name in ["timeUnixNano", "observedTimeUnixNano"] {
                #expect(isMalformed(record: #"{"\#(name)":\#(time)}"#), "\(name) \(time)")
            }
        }
    }

    /// Doubles, and what is stored; nil: malformed.
    static let doubles: [(String, String?)] = [
        ("1.5", "1.5"), ("5", "5"), ("-0", "0"), ("-0.0", "0"), ("1e3", "1000"), ("1E-2", "0.01"),
        ("5e-324", "5e-324"), ("1e-400", "0"), ("12345678901234567890", "12345678901234567000"),
        (#""1.5""#, "1.5"), (#""5""#, "5"), (#""-1e3""#, "-1000"), (#""\u0031.5""#, "1.5"),
        (#""12345678901234567890""#, "12345678901234567000"), (#""NaN""#, #""NaN""#),
        (#""Infinity""#, #""Infinity""#), (#""-Infinity""#, #""-Infinity""#),
        (#""\u004eaN""#, #""NaN""#), ("1e400", #""Infinity""#), ("-1e400", #""-Infinity""#),
        (#""1e400""#, #""Infinity""#), (#""-1.5e999""#, #""-Infinity""#),
        (String(repeating: "9", count: 400), #""Infinity""#),
        ("-" + String(repeating: "9", count: 400), #""-Infinity""#),
        ("1e-999", "0"), ("1e007", "10000000"), ("123.4567", "123.4567"),
        ("1e1000", nil), ("1e0007", nil), ("1.5E-0001", nil), ("-1e+1000", nil),
        (#""1e1000""#, nil), (#""1e-0007""#, nil), (#""001""#, nil), (#""-01""#, nil),
        (#""nan""#, nil), (#""inf""#, nil), (#""+Infinity""#, nil), (#""Infinity ""#, nil),
        (#""+1""#, nil), (#""01""#, nil), (#""1.""#, nil), (#"".5""#, nil), (#"" 1""#, nil),
        (#""1 ""#, nil), (#""""#, nil), (#""true""#, nil), (#""[]""#, nil), (#""\"1\"""#, nil),
        ("true", nil), ("[1]", nil), ("{}", nil),
    ]

    @Test("doubles are numbers, or strings of them and of what is none", arguments: doubles.indices)
    func double(case index: Int) throws {
        let (json, expected) = Self.doubles[index]
        let value = #"{"doubleValue":\#(json)}"#
        guard let expected else {
            #expect(isMalformed(record: record(value: value)))
            return
        }
        #expect(try stored(value: value) == expected)
    }

    /// Bytes, and the base64 that is stored; nil: malformed.
    static let bytes: [(String, String?)] = [
        ("", ""), ("AQ==", "AQ=="), ("AQ", "AQ=="), ("AQI=", "AQI="), ("AQI", "AQI="),
        ("AQID", "AQID"), ("-_-_", "+/+/"), ("+/+/", "+/+/"), ("-_8", "+/8="), ("+/8=", "+/8="),
        ("-_8=", "+/8="), (#"\u0041Q=="#, "AQ=="), (#"\/\/\/\/"#, "////"),
        ("A", nil), ("AQIDA", nil), ("AQ=", nil), ("AQI==", nil), ("AQID=", nil), ("AQID==", nil),
        ("=", nil), ("==", nil), ("====", nil), ("A===", nil), ("AQ==AQ==", nil), ("A Q=", nil),
        ("AQ==\\n", nil), ("AQ!=", nil), ("é===", nil), ("A.Q=", nil),
    ]

    @Test("bytes are base64 or base64url, padded or not", arguments: bytes.indices)
    func base64(case index: Int) throws {
        let (text, expected) = Self.bytes[index]
        let value = #"{"bytesValue":"\#(text)"}"#
        guard let expected else {
            #expect(isMalformed(record: record(value: value)), "\(text)")
            return
        }
        #expect(try stored(value: value) == "\"\(expected)\"")
        let list = #"{"arrayValue":{"values":[\#(value)]}}"#
        #expect(try stored(value: list) == #""[\"\#(expected)\"]""#)
    }

    @Test("of a value with several members the last counts, as in protobuf")
    func several() throws {
        for (last, json, inList) in [
            (#""stringValue":"x""#, #""x""#, #"\"x\""#), (#""intValue":5"#, "5", "5"),
            (#""boolValue":true"#, "true", "true"), (#""doubleValue":1.5"#, "1.5", "1.5"),
            (#""bytesValue":"AQ""#, #""AQ==""#, #"\"AQ==\""#),
            (#""arrayValue":{"values":[{}]}"#, #""[null]""#, "[null]"),
        ] {
            let value = #"{"kvlistValue":{"values":[{"key":"a"}]},\#(last)}"#
            #expect(try stored(value: value) == json)
            let list = #"{"arrayValue":{"values":[\#(value),\#(value)]}}"#
            #expect(try stored(value: list) == #""[\#(inList),\#(inList)]""#)
        }
    }

    @Test("a member of another form is malformed, on every level")
    func forms() {
        let (scalars, lists) = (["1", "true", #""x""#, "1.5"], ["[]", "{}"])
        for text in [
            "[]", "1", #""x""#, "null", "true", "", " ", "{", "{}{}", "{} x", "\u{feff}{}",
        ] {
            #expect(Logs.refusal(Array(text.utf8), .json) == .malformedLogs, "\(text)")
        }
        func refused(_ text: String) {
            #expect(Logs.refusal(Array(text.utf8), .json) == .malformedLogs, "\(text)")
        }
        for wrong in scalars + ["{}"] {
            refused(#"{"resourceLogs":\#(wrong)}"#)
            refused(#"{"resourceLogs":[{"scopeLogs":\#(wrong)}]}"#)
            refused(#"{"resourceLogs":[{"resource":{},"scopeLogs":\#(wrong)}]}"#)
            refused(#"{"resourceLogs":[{"resource":{"attributes":\#(wrong)}}]}"#)
            refused(#"{"resourceLogs":[{"scopeLogs":[{"logRecords":\#(wrong)}]}]}"#)
            #expect(isMalformed(record: #"{"attributes":\#(wrong)}"#))
            #expect(isMalformed(record: record(value: #"{"arrayValue":{"values":\#(wrong)}}"#)))
            #expect(isMalformed(record: record(value: #"{"kvlistValue":{"values":\#(wrong)}}"#)))
        }
        for wrong in scalars + ["[]"] {
            refused(#"{"resourceLogs":[{"resource":\#(wrong)}]}"#)
            #expect(isMalformed(record: record(value: #"{"arrayValue":\#(wrong)}"#)))
            #expect(isMalformed(record: record(value: #"{"kvlistValue":\#(wrong)}"#)))
            #expect(isMalformed(record: record(value: wrong)))
        }
        for wrong in scalars + ["[]", "null"] {
            refused(#"{"resourceLogs":[\#(wrong)]}"#)
            refused(#"{"resourceLogs":[{"scopeLogs":[\#(wrong)]}]}"#)
            refused(#"{"resourceLogs":[{"resource":{"attributes":[\#(wrong)]}}]}"#)
            #expect(isMalformed(record: wrong))
            #expect(isMalformed(record: #"{"attributes":[\#(wrong)]}"#))
            #expect(isMalformed(record: record(value: #"{"arrayValue":{"values":[\#(wrong)]}}"#)))
            #expect(isMalformed(record: record(value: #"{"kvlistValue":{"values":[\#(wrong)]}}"#)))
        }
        for wrong in ["1", "true"] + lists {
            #expect(isMalformed(record: #"{"eventName":\#(wrong)}"#))
            #expect(isMalformed(record: #"{"attributes":[{"key":\#(wrong)}]}"#))
            #expect(isMalformed(record: record(value: #"{"stringValue":\#(wrong)}"#)))
            #expect(isMalformed(record: record(value: #"{"bytesValue":\#(wrong)}"#)))
        }
        for wrong in ["1", #""true""#] + lists {
            #expect(isMalformed(record: record(value: #"{"boolValue":\#(wrong)}"#)))
        }
    }
}
