import TestSupport
import Testing

@testable import Ingest

/// Requests that are cut or changed anywhere.
@Suite("log records cut or changed anywhere")
struct LogsTruncationTests {
    static let sent = SentLogs([
        SentResource(
            ["app.installation.id": "d-1", "os.name": ["a": "é"]],
            scopes: [
                [
                    SentRecord("a", ["k": "x", "m": ["b": [1, nil, 1.5], "a": .bytes([1, 2])]]),
                    SentRecord("b", observed: 5, ["session.id": "s", "é😀": .double(.nan)]),
                ], [SentRecord(nil, ["event.name": "c\n"])],
            ]),
        SentResource(["device.id": "d-2"], SentRecord("session.start", ["session.id": "s"])),
    ])

    private func records(_ logs: AcceptedLogs) -> Int { logs.events.count + logs.rejections.count }

    @Test("a request in JSON that is cut is malformed", arguments: JSONStyle.allCases)
    func json(style: JSONStyle) throws {
        let bytes = Self.sent.json(style)
        #expect(records(try Logs.accept(bytes, .json)) == 4)
        let worker = Logs.worker()
        for end in 0..<bytes.count {
            let refusal = Logs.refusal(Array(bytes[..<end]), .json, by: worker)
            #expect(refusal == .malformedLogs, "\(end)")
        }
        #expect(records(try Logs.accept(bytes, .json, by: worker)) == 4)
    }

    @Test("a request in protobuf that is cut is malformed, or has fewer records")
    func protobuf() throws {
        let bytes = Self.sent.protobuf
        let whole = try Logs.accept(bytes, .protobuf)
        let worker = Logs.worker()
        var accepted: [Int] = []
        for end in 0...bytes.count {
            guard Logs.refusal(Array(bytes[..<end]), .protobuf, by: worker) == nil else { continue }
            accepted.append(end)
            let logs = try Logs.accept(Array(bytes[..<end]), .protobuf, by: worker)
            #expect(records(logs) <= records(whole))
            #expect(logs.batches.count <= 2)
            #expect(Logs.forms(of: whole).starts(with: Logs.forms(of: logs)))
        }
        // Nothing, the first ResourceLogs, both.
        let first = SentLogs([Self.sent.resources[0]]).protobuf.count
        #expect(accepted == [0, first, bytes.count])
    }

    @Test("a message within that is cut is malformed or another, and never more")
    func inner() throws {
        // Lengths are made right again, so that each cut is met by the reader of that message.
        let record = SentRecord("a", ["k": "x", "m": ["b": [1, nil], "a": .bytes([1, 2])]])
        let resource = SentResource(["app.installation.id": "d-1", "os.name": ["a": "é"]], record)
        let worker = Logs.worker()
        var good = 0
        for (content, wrap) in [
            (resource.protobuf, { Wire.bytes(1, $0) }),
            (
                record.protobuf,
                {
                    Wire.bytes(
                        1,
                        Wire.bytes(1, SentResource.device.protobuf(field: 1))
                            + Wire.bytes(2, Wire.bytes(2, $0)))
                }
            ),
            (
                (["k": ["b": [1, nil], "a": .bytes([1, 2])]] as SentAttributes).pairs[0].value
                    .protobuf,
                {
                    var record = SentRecord("a")
                    record.fields = Wire.bytes(6, Wire.text(1, "k") + Wire.bytes(2, $0))
                    return SentLogs(record).protobuf
                }
            ),
        ] as [([UInt8], ([UInt8]) -> [UInt8])] {
            for end in 0...content.count {
                let bytes = wrap(Array(content[..<end]))
                switch Logs.refusal(bytes, .protobuf, by: worker) {
                case nil:
                    good += 1
                    #expect(records(try Logs.accept(bytes, .protobuf, by: worker)) <= 1)
                case let refusal: #expect(refusal == .malformedProtobuf)
                }
            }
        }
        #expect(good > 5)
    }

    @Test("any byte may be changed: the request is read or refused, the next one as if nothing was")
    func changes() throws {
        var source = SplitMix(seed: 11)
        let worker = Logs.worker()
        let expected = Logs.forms(of: try Logs.accept(Self.sent.protobuf, .protobuf))
        for encoding in LogsEncoding.allCases {
            let whole = encoding == .protobuf ? Self.sent.protobuf : Self.sent.json()
            var (good, refused) = (0, 0)
            for at in whole.indices {
                for _ in 0..<6 {
                    var bytes = whole
                    bytes[at] = UInt8.random(in: 0...255, using: &source)
                    switch Logs.refusal(bytes, encoding, by: worker) {
                    case nil: good += 1
                    case let refusal:
                        refused += 1
                        #expect(
                            refusal
                                == (encoding == .protobuf ? .malformedProtobuf : .malformedLogs))
                    }
                }
            }
            #expect(good > whole.count / 2 && refused > whole.count / 2)
            #expect(Logs.forms(of: try Logs.accept(whole, encoding, by: worker)) == expected)
        }
    }

    @Test("noise is read or refused")
    func noise() {
        var source = SplitMix(seed: 12)
        let worker = Logs.worker()
        var good = 0
        for _ in 0..<5000 {
            // Tags and lengths that are often right, one in the other.
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...9, using: &source) {
                let field = UInt64.random(in: 1...7, using: &source)
                switch Int.random(in: 0...5, using: &source) {
                case 0: bytes += Wire.number(field, .random(in: 0...300, using: &source))
                case 1: bytes += Wire.fixed64(field, .random(in: 0 ... .max, using: &source))
                case 2: bytes += [UInt8.random(in: 0...255, using: &source)]
                case 3: bytes += Wire.text(field, "abc")
                default: bytes = Wire.bytes(field, bytes)
                }
            }
            switch Logs.refusal(bytes, .protobuf, by: worker) {
            case nil: good += 1
            case let refusal: #expect(refusal == .malformedProtobuf)
            }
        }
        #expect(good > 500)
    }
}
