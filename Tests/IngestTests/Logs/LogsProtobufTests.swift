import TestSupport
import Testing

@testable import Ingest

/// spec: OpenTelemetry, Reading: Protobuf.
@Suite("log records in protobuf")
struct LogsProtobufTests {
    private static func text(_ text: String) -> [UInt8] { SentValue.text(text).protobuf }

    /// What a record with one attribute has, whose KeyValue is that.
    private func stored(keyValue: [UInt8]) throws -> [String: String]? {
        var record = SentRecord()
        record.fields = Wire.bytes(6, keyValue)
        return try Logs.accept(SentLogs(record).protobuf, .protobuf).events.first?.attributes
    }

    /// What becomes of the attribute `k` with a value of these fields.
    private func stored(value: [UInt8]) throws -> String? {
        try stored(keyValue: Wire.text(1, "k") + Wire.bytes(2, value))?["k"]
    }

    /// What becomes of a record with these fields alone.
    private func event(record fields: [UInt8]) throws -> StoredEvent? {
        let request = Wire.bytes(
            1,
            Wire.bytes(1, SentResource.device.protobuf(field: 1))
                + Wire.bytes(2, Wire.bytes(2, fields)))
        return try Logs.accept(request, .protobuf).events.first
    }

    @Test("of a scalar that stands twice the last counts")
    func scalars() throws {
        let old = Wire.fixed64(1, 5) + Wire.fixed64(11, 7) + Wire.text(12, "Old")
        let new = Wire.fixed64(1, SentRecord.time) + Wire.text(12, "new")
        #expect(try event(record: old + new)?.name == "new")
        #expect(try event(record: new + old) == nil)
        // A zero and an empty text count as well.
        let seen = Wire.fixed64(11, SentRecord.time) + Wire.fixed64(1, 0)
        #expect(try event(record: old + seen + Wire.text(12, "a"))?.time == arrival - 5000)
        #expect(try event(record: new + Wire.text(12, "")) == nil)
        let keys = Wire.text(1, "old") + Wire.text(1, "k") + Wire.bytes(2, Self.text("x"))
        #expect(try stored(keyValue: keys) == ["k": #""x""#])
    }

    @Test("of a oneof that stands twice the last counts")
    func oneofs() throws {
        let members: [(fields: [UInt8], json: String)] = [
            (Self.text("x"), #""x""#), (SentValue.bool(true).protobuf, "true"),
            (SentValue.int(-5).protobuf, "-5"), (SentValue.double(1.5).protobuf, "1.5"),
            (SentValue.list([1]).protobuf, #""[1]""#), (SentValue.bytes([1]).protobuf, #""AQ==""#),
            (SentValue.map(["a": 1]).protobuf, #""{\"a\":1}""#),
        ]
        for (first, _) in members {
            for (last, json) in members where first != last {
                #expect(try stored(value: first + last) == json)
                // Also inside a list.
                let inner = Wire.bytes(5, Wire.bytes(1, first + last))
                let expected = try #require(try stored(value: Wire.bytes(5, Wire.bytes(1, last))))
                #expect(try stored(value: inner) == expected)
            }
            #expect(try stored(value: first + first + Self.text("y")) == #""y""#)
        }
        #expect(try stored(value: Self.text("x") + Self.text("y")) == #""y""#)
        #expect(try stored(value: SentValue.int(1).protobuf + SentValue.int(2).protobuf) == "2")
        #expect(try stored(value: Wire.number(2, 1) + Wire.number(2, 0)) == "false")
    }

    @Test("a bool is true whatever number it is but zero")
    func bools() throws {
        for value in [1, 2, 256, 1 << 63, .max] as [UInt64] {
            #expect(try stored(value: Wire.number(2, value)) == "true")
            let list = Wire.bytes(5, Wire.bytes(1, Wire.number(2, value)))
            #expect(try stored(value: list) == #""[true]""#)
        }
        #expect(try stored(value: Wire.number(2, 0)) == "false")
    }

    @Test("messages that stand twice are merged")
    func merged() throws {
        let (one, two) = (SentValue.list([1]).protobuf, SentValue.list(["x"]).protobuf)
        #expect(try stored(value: one + two + one) == #""[1,\"x\",1]""#)
        let maps =
            SentValue.map(["b": 1, "c": 1]).protobuf + SentValue.map(["a": 1, "b": 2]).protobuf
        #expect(try stored(value: maps) == #""{\"a\":1,\"b\":2,\"c\":1}""#)
        // Another member in between begins anew.
        #expect(try stored(value: one + Self.text("s") + two) == #""[\"x\"]""#)
        #expect(try stored(value: one + SentValue.map([:]).protobuf + two) == #""[\"x\"]""#)
        #expect(try stored(value: one + Wire.bytes(5, [])) == #""[1]""#)
        // Fields of the value and of what is within.
        let twice = Wire.bytes(2, one) + Wire.text(1, "k") + Wire.bytes(2, two)
        #expect(try stored(keyValue: twice) == ["k": #""[1,\"x\"]""#])
        #expect(
            try stored(keyValue: Wire.text(1, "k") + Wire.bytes(2, one) + Wire.bytes(2, []))
                == ["k": #""[1]""#])
        #expect(
            try stored(
                keyValue: Wire.text(1, "k") + Wire.bytes(2, one) + Wire.bytes(2, Self.text("s")))
                == ["k": #""s""#])
        let inner = Wire.text(1, "i") + Wire.bytes(2, one) + Wire.bytes(2, two)
        #expect(
            try stored(value: Wire.bytes(6, Wire.bytes(1, inner))) == #""{\"i\":[1,\"x\"]}""#)
        let array = Wire.bytes(1, one + two) + Wire.bytes(1, Self.text("s"))
        #expect(try stored(value: Wire.bytes(5, array)) == #""[[1,\"x\"],\"s\"]""#)
    }

    @Test("a resource that stands twice is one, and its place is of no matter")
    func resource() throws {
        let parts: [SentAttributes] = [
            ["app.installation.id": "d-1", "os.name": "old"], ["os.name": "iOS"],
        ]
        let fields = parts.map { Wire.bytes(1, $0.protobuf(field: 1)) }
        let scope = Wire.bytes(2, Wire.bytes(2, SentRecord(["a": 1]).protobuf))
        let whole = SentLogs([SentResource(parts[0] + parts[1], SentRecord(["a": 1]))])
        let expected = Logs.forms(of: try Logs.accept(whole))
        for content in [
            fields[0] + fields[1] + scope, fields[0] + scope + fields[1],
            scope + fields[0] + fields[1],
        ] {
            let found = try Logs.accept(Wire.bytes(1, content), .protobuf)
            #expect(Logs.forms(of: found) == expected)
        }
        #expect(expected.map(\.resource.osName) == ["iOS"])
    }

    /// Fields that are none of those that are read, in every wire type and with whatever in them.
    private static func others(_ known: Set<UInt64>) -> [UInt8] {
        let garbage: [UInt8] = [0xff, 0xff, 0x07, 0x0c, 0, 0x80]
        let group: [UInt8] = Wire.bytes(1, garbage) + Wire.group(1, [])
        let fields: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 99, 2048, (1 << 29) - 1]
        var bytes: [UInt8] = []
        for field in fields where !known.contains(field) {
            bytes += Wire.number(field, .max)
            bytes += Wire.bytes(field, garbage)
            bytes += Wire.fixed32(field, 1)
            bytes += Wire.fixed64(field, .max)
            bytes += Wire.group(field, group)
        }
        return bytes
    }

    /// A field in all wire types but its own.
    private static func mistyped(_ field: UInt64, _ type: UInt64) -> [UInt8] {
        var bytes = Wire.fixed32(field, 1) + Wire.group(field, Wire.number(1, 1))
        if type != 0 { bytes += Wire.number(field, 1) }
        if type != 1 { bytes += Wire.fixed64(field, 1) }
        if type != 2 { bytes += Wire.bytes(field, [0xff]) }
        return bytes
    }

    @Test("unknown fields, groups and known fields of another wire type are skipped unread")
    func skipped() throws {
        func around(_ known: [(UInt64, type: UInt64)], _ content: [UInt8]) -> [UInt8] {
            var more = Self.others(Set(known.map(\.0)))
            for (field, type) in known { more += Self.mistyped(field, type) }
            return more + content + more
        }
        let any = around(
            [(1, 2), (2, 0), (3, 0), (4, 1), (5, 2), (6, 2), (7, 2)], Self.text("x"))
        let list = Wire.bytes(
            5, around([(1, 2)], Wire.bytes(1, SentValue.int(5).protobuf)))
        let key = around([(1, 2), (2, 2)], Wire.text(1, "k") + Wire.bytes(2, any))
        let other = around([(1, 2), (2, 2)], Wire.text(1, "l") + Wire.bytes(2, list))
        let record = around(
            [(1, 1), (6, 2), (11, 1), (12, 2)],
            Wire.fixed64(1, SentRecord.time) + Wire.text(12, "a") + Wire.bytes(6, key)
                + Wire.bytes(6, other))
        let scope = around([(2, 2)], Wire.bytes(2, record))
        let device = around(
            [(1, 2)], Wire.bytes(1, Wire.text(1, "device.id") + Wire.bytes(2, Self.text("d"))))
        let resource = around([(1, 2), (2, 2)], Wire.bytes(1, device) + Wire.bytes(2, scope))
        let found = try Logs.accept(around([(1, 2)], Wire.bytes(1, resource)), .protobuf)
        let plain = SentLogs([
            SentResource(["device.id": "d"], SentRecord("a", ["k": "x", "l": [5]]))
        ])
        #expect(Logs.forms(of: found) == Logs.forms(of: try Logs.accept(plain)))
        #expect(found.rejections.count == 0 && found.refusedResources == 0)
    }

    @Test("varints may be longer than needed, as tags, lengths and values")
    func longVarints() throws {
        for width in 1...10 {
            func field(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
                Wire.varint(number << 3 | 2, width: width)
                    + Wire.varint(UInt64(content.count), width: width) + content
            }
            let number = Wire.varint(3 << 3, width: width) + Wire.varint(5, width: width)
            let record =
                Wire.fixed64(1, SentRecord.time) + field(12, Array("a".utf8))
                + field(6, field(1, Array("k".utf8)) + field(2, number))
            let request = field(
                1,
                field(1, field(1, field(1, Array("device.id".utf8)) + field(2, Self.text("d"))))
                    + field(2, field(2, record)))
            let logs = try Logs.accept(request, .protobuf)
            #expect(logs.events.first?.attributes == ["k": "5"], "\(width)")
        }
        // Of 10 bytes the highest bits are dropped; eleven are too many.
        let ten = [UInt8](repeating: 0xff, count: 9) + [0x7f]
        #expect(try stored(value: Wire.tag(3, 0) + ten) == "-1")
        #expect(try stored(value: Wire.tag(2, 0) + ten) == "true")
    }

    /// What is malformed wherever a message is read.
    static let malformed: [[UInt8]] = [
        [0], [0, 0], Wire.number(1 << 29, 1), Wire.tag(1, 6), Wire.tag(1, 7), Wire.tag(1, 4),
        Wire.tag(99, 3), Wire.tag(99, 3) + Wire.tag(98, 4), Wire.tag(99, 2) + [1], [0xff],
        Wire.tag(99, 2) + Wire.varint(.max), Wire.tag(99, 0), Wire.tag(99, 1) + [1, 2, 3],
        Wire.tag(99, 5) + [1], Wire.tag(99, 0) + .init(repeating: 0x80, count: 10) + [0],
    ]

    @Test("breaking the encoding where it is read refuses the request", arguments: malformed)
    func refused(bad: [UInt8]) {
        func request(record: [UInt8]) -> [UInt8] {
            Wire.bytes(1, Wire.bytes(2, Wire.bytes(2, record)))
        }
        func attribute(_ value: [UInt8]) -> [UInt8] {
            request(record: Wire.bytes(6, Wire.bytes(2, value)))
        }
        for bytes in [
            bad, Wire.bytes(1, bad), Wire.bytes(1, Wire.bytes(1, bad)),
            Wire.bytes(1, Wire.bytes(1, Wire.bytes(1, bad))),
            Wire.bytes(1, Wire.bytes(1, Wire.bytes(1, Wire.bytes(2, bad)))),
            Wire.bytes(1, Wire.bytes(2, bad)), request(record: bad),
            request(record: Wire.bytes(6, bad)), attribute(bad), attribute(Wire.bytes(5, bad)),
            attribute(Wire.bytes(6, bad)), attribute(Wire.bytes(5, Wire.bytes(1, bad))),
            attribute(Wire.bytes(6, Wire.bytes(1, bad))),
            attribute(Wire.bytes(6, Wire.bytes(1, Wire.bytes(2, bad)))),
            // Also in what another one replaces, and after what is good.
            attribute(Wire.bytes(5, bad) + Wire.text(1, "x")),
            attribute(Wire.bytes(6, bad) + Wire.bytes(5, [])),
            attribute(Wire.bytes(5, Wire.bytes(1, Wire.bytes(5, bad) + Wire.number(3, 1)))),
            SentLogs(SentRecord()).protobuf + bad,
        ] {
            #expect(Logs.refusal(bytes, .protobuf) == .malformedProtobuf, "\(bytes)")
        }
    }

    @Test("does no harm where it is not read", arguments: malformed)
    func unread(bad: [UInt8]) throws {
        var record = SentRecord()
        record.fields = Wire.bytes(5, bad) + Wire.bytes(99, bad) + Wire.bytes(9, bad)
        var resource = SentResource(SentResource.device, record)
        resource.fields =
            Wire.bytes(3, bad) + Wire.bytes(2, Wire.bytes(1, bad) + Wire.bytes(3, bad))
        let request = SentLogs([resource]).protobuf + Wire.bytes(2, bad)
        #expect(try Logs.accept(request, .protobuf).events.count == 1)
    }

    @Test("messages may lie 100 deep")
    func depth() throws {
        // The request is 1, a record 4, its attribute 5, its value 6; an array and its element are
        // two more.
        func nest(_ count: Int, _ innermost: SentValue) -> SentValue {
            (0..<count).reduce(innermost) { value, _ in [value] }
        }
        let deep = SentLogs(SentRecord(["k": nest(47, .empty)])).protobuf
        #expect(
            try Logs.accept(deep, .protobuf).events.first?.attributes["k"]
                == "\"" + String(repeating: "[", count: 47) + "null"
                + String(repeating: "]", count: 47) + "\""
        )
        for value in [nest(48, 1), nest(47, []), nest(47, [:]), nest(2000, 1)] {
            let bytes = SentLogs(SentRecord(["k": value])).protobuf
            #expect(Logs.refusal(bytes, .protobuf) == .malformedProtobuf)
        }
        // A member of a kvlist is a message more: 3 for each.
        let maps = (0..<31).reduce(SentValue.int(1)) { value, _ in ["k": value] }
        #expect(try Logs.protobufCode(SentRecord(["k": maps])) == nil)
        for value in [["k": ["k": maps]] as SentValue, ["k": maps]] {
            let isDeep = Logs.refusal(SentLogs(SentRecord(["k": value])).protobuf, .protobuf)
            #expect(isDeep == .malformedProtobuf)
        }
        // In the resource a value lies one higher.
        let higher = SentLogs([SentResource(SentResource.device + ["k": nest(47, 1)], SentRecord())]
        )
        #expect(try Logs.accept(higher.protobuf, .protobuf).events.count == 1)
        // Groups count as messages do.
        func groups(_ count: Int) -> [UInt8] {
            (0..<count).reduce([]) { inner, _ in Wire.group(3, inner) }
        }
        for (count, isGood) in [(96, true), (97, false)] {
            var record = SentRecord()
            record.fields = groups(count)
            let refusal = Logs.refusal(SentLogs(record).protobuf, .protobuf)
            #expect(refusal == (isGood ? nil : .malformedProtobuf))
        }
    }
}
