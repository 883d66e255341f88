import Events
import TestSupport
import Testing

@testable import Ingest

/// JSON values and members' names, or protobuf fields, are counted where they are read, in whatever a body is
/// (docs/operation.md, Settings, max-elements).
@Suite("elements of a body")
struct ElementsTests {
    private static func worker(_ maxElements: Int, inline: Int? = nil) -> IngestWorker {
        let limits = IngestLimits(
            maxInflatedBytes: 8 << 20, maxBatchEvents: 5_000, maxElements: maxElements,
            maxEventAge: 400 * 86_400_000)
        return IngestWorker(
            limits: inline.map { limits.atMost(inflatedBytes: 8 << 20, elements: $0) } ?? limits,
            pepper: [1])
    }

    /// The batch of a text in profile `plain`.
    private static func refusal(_ text: String, by worker: IngestWorker) throws -> BatchRefusal? {
        let sealed = try #require(
            IngestWorkerTests.all.first { $0.admission.format.profile == .plain })
        let admission = try Admission(
            app: sealed.admission.app,
            format: BodyFormat(contentType: "application/json", codings: []),
            authorization: "Bearer sj_token", access: sealed.access)
        do throws(BatchRefusal) {
            _ = try worker.accept(
                Array(text.utf8).span, admission, arrival: arrival, access: sealed.access)
            return nil
        } catch {
            return error
        }
    }

    @Test("of a batch are its values and names, unknown ones too")
    func batch() throws {
        let event = #"{"name":"app.tap","time":\#(arrival),"attributes":{"n":1},"x":[0,{}]}"#
        let text = BatchText(events: [event], ("later", "[[],{},0,null]")).text
        // The batch and six members, of which resource has 4 more, events 13, the unknown one 4.
        let total = 1 + 2 * 6 + 4 + 13 + 4
        let worker = Self.worker(total)
        #expect(try Self.refusal(text, by: worker) == nil)
        #expect(worker.elements == total)
    }

    @Test("beyond the limit refuse a batch before any of its rules, and after bad text before them")
    func tooMany() throws {
        let good = BatchText().text
        let worker = Self.worker(1_000_000)
        _ = try Self.refusal(good, by: worker)
        let total = worker.elements
        #expect(try Self.refusal(good, by: Self.worker(total)) == nil)
        let small = Self.worker(total - 1)
        #expect(try Self.refusal(good, by: small) == .rule(.elements))
        #expect(small.elements == total)
        for zeros in [998, 999, 1_000, 1_001] {
            let list = "[" + Array(repeating: "0", count: zeros).joined(separator: ",") + "]"
            let text = #"{"schema":2,"x":\#(list)}"#
            // The object, two names, one value, the list.
            let expected = zeros + 5 > 1_004 ? BatchRule.elements : .schema
            #expect(try Self.refusal(text, by: Self.worker(1_004)) == .rule(expected))
            #expect(
                try Self.refusal("}" + text, by: Self.worker(1_004)) == .rule(.text), "\(zeros)")
        }
        // A text is one, whatever stands in it.
        let text = BatchText(("x", "\"" + String(repeating: "[0,{}]", count: 5_000) + "\"")).text
        #expect(try Self.refusal(text, by: Self.worker(total + 2)) == nil)
    }

    @Test("too many for a loop are left to others, who refuse them")
    func provisional() throws {
        let text = BatchText(("x", "[" + String(repeating: "{},", count: 200) + "0]")).text
        #expect(try Self.refusal(text, by: Self.worker(1_000, inline: 100)) == .tooMuchHere)
        #expect(try Self.refusal(text, by: Self.worker(1_000, inline: 500)) == nil)
        #expect(try Self.refusal(text, by: Self.worker(100)) == .rule(.elements))
        let sent = SentLogs(records: Array(repeating: SentRecord(["k": 1]), count: 50))
        for (bytes, encoding) in [(sent.protobuf, .protobuf), (sent.json(), .json)]
            as [([UInt8], LogsEncoding)]
        {
            let loop = Self.worker(5_000, inline: 100)
            #expect(Logs.refusal(bytes, encoding, by: loop) == .tooMuchHere)
            #expect(Logs.refusal(bytes, encoding, by: Self.worker(5_000)) == nil)
            #expect(Logs.refusal(bytes, encoding, by: Self.worker(100)) == .rule(.elements))
        }
    }

    @Test("of OTLP are the same however messages are cut, and counted once though read twice")
    func logs() throws {
        let list: SentValue = [1, ["a": 2, "b": nil], []]
        let sent = SentLogs([
            SentResource(["device.id": "d", "os.name": "x"], SentRecord(["k": list, "l": "x"])),
            SentResource(["device.id": "d"], SentRecord()),
        ])
        let worker = Self.worker(1_000_000)
        #expect(Logs.refusal(sent.protobuf, .protobuf, by: worker) == nil)
        // Each with the resource, its attributes of 4, ScopeLogs, its scope, and a record of 3.
        let records = (1 + 1 + 2 * 4 + 2 + 3) + (1 + 1 + 4 + 2 + 3)
        // An array of an int, a kvlist of two members, and an array; a text.
        let attributes = 3 + (1 + 3 + 1 + (1 + 3 + 1 + 3) + 1) + 4
        let total = records + attributes
        #expect(worker.elements == total)
        #expect(Logs.refusal(sent.protobuf, .protobuf, by: Self.worker(total)) == nil)
        #expect(
            Logs.refusal(sent.protobuf, .protobuf, by: Self.worker(total - 1)) == .rule(.elements))
        var counts: [Int] = []
        for style in JSONStyle.allCases {
            #expect(Logs.refusal(sent.json(style), .json, by: worker) == nil)
            counts.append(worker.elements)
        }
        // In one style the records stand before the resource, and are read after it.
        #expect(Set(counts).count == 1)
    }

    @Test("that are skipped count, messages without anything in them and groups too")
    func skipped() throws {
        let sent = SentLogs(SentRecord()).protobuf
        let worker = Self.worker(1_000_000)
        #expect(Logs.refusal(sent, .protobuf, by: worker) == nil)
        let count = worker.elements
        for (more, added) in [
            (Wire.bytes(1, []), 1), (Wire.bytes(99, []), 1), (Wire.bytes(99, [0, 0, 0]), 1),
            (Wire.group(99, Wire.number(1, 1) + Wire.group(2, Wire.text(3, "x"))), 4),
            (Wire.bytes(1, Wire.bytes(2, Wire.bytes(2, []))), 3),
        ] {
            #expect(Logs.refusal(sent + more, .protobuf, by: worker) == nil)
            #expect(worker.elements == count + added)
        }
        // A list that another member replaces.
        let list = Wire.bytes(5, Wire.bytes(1, Wire.number(3, 1)) + Wire.bytes(1, []))
        let value = SentValue.raw(list + Wire.bytes(6, Wire.bytes(1, [])) + Wire.number(2, 1), "")
        let replaced = SentLogs(SentRecord(["k": value])).protobuf
        #expect(Logs.refusal(replaced, .protobuf, by: worker) == nil)
        #expect(worker.elements == count + 3 + 4 + 2 + 1)
    }
}
