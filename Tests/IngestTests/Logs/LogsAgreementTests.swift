import TestSupport
import Testing

@testable import Ingest

/// Random requests: all encodings and orders make the same of them.
@Suite("log records in any encoding and order")
struct LogsAgreementTests {
    /// Draws requests in which everything comes up that a description can say.
    private struct Draw {
        var source: SplitMix

        private mutating func one<T>(_ choices: [T]) -> T {
            choices[Int.random(in: choices.indices, using: &source)]
        }

        private static let texts = [
            "", "a", "b", "session.id", "event.name", "grüße", "😀\u{ffff}", "\n\"\\/", "\u{7f}",
            "background", "ios.app.state", "device.id", String(repeating: "é", count: 33),
            String(repeating: "x😀", count: 300), String(repeating: "k", count: 64),
        ]
        private static let ints: [Int64] = [
            0, 1, -1, 9_007_199_254_740_991, 9_007_199_254_740_992, .max, .min,
        ]
        private static let doubles = [
            0, -0.0, 1, 1.5, 1e21, 1e-7, 5e300, .nan, .infinity, -.infinity,
            .leastNonzeroMagnitude,
        ]

        mutating func value(_ depth: Int = 0) -> SentValue {
            switch Int.random(in: 0...(depth < 3 ? 9 : 6), using: &source) {
            case 0: return .bool(Bool.random(using: &source))
            case 1: return .int(one(Self.ints))
            case 2: return .double(one(Self.doubles))
            case 3:
                return .bytes((0..<one([0, 1, 2, 3, 900])).map { UInt8($0 % 251) })
            case 4: return .empty
            case 5, 6: return .text(one(Self.texts))
            case 7: return .map(attributes(one(depth == 0 ? [0, 1, 30] : [0, 1, 4]), depth + 1))
            default:
                return .list((0..<one([0, 1, 2, 5])).map { _ in value(depth + 1) })
            }
        }

        mutating func attributes(_ count: Int, _ depth: Int = 0) -> SentAttributes {
            SentAttributes(
                (0..<count).map { index in
                    let isNew = Int.random(in: 0...9, using: &source) > 0
                    let key = isNew ? "k\(index % 28)" : one(Self.texts)
                    let isAbsent = Int.random(in: 0...19, using: &source) == 0
                    return (key: SentText(key), value: isAbsent ? .absent : value(depth))
                })
        }

        mutating func record() -> SentRecord {
            SentRecord(
                one(["a", "a", "b.c", "device.app.lifecycle", "session.start", "Bad", "", nil]),
                time: one([SentRecord.time, SentRecord.time + 1, SentRecord.time + 2, 0, 1, nil]),
                observed: one([nil, 0, SentRecord.time]),
                attributes(one([0, 1, 3, 8, 24, 25, 26, 40])))
        }

        mutating func resource() -> SentResource {
            let device: SentAttributes = one([
                [:], ["device.id": "d"], SentResource.device, SentResource.device,
            ])
            let listed: SentAttributes = ["os.name": value(), "app.build_id": value()]
            let scopes = (0..<one([0, 1, 3])).map { _ in (0..<one([1, 2, 4])).map { _ in record() }
            }
            return SentResource(attributes(one([0, 2, 30])) + device + listed, scopes: scopes)
        }
    }

    @Test("are the same", arguments: 1...8 as ClosedRange<UInt64>)
    func encodings(seed: UInt64) throws {
        var draw = Draw(source: SplitMix(seed: seed))
        let worker = Logs.worker(maxEvents: 5)
        var events = 0
        for _ in 0..<4 {
            let sent = SentLogs((0..<3).map { _ in draw.resource() })
            events += try Logs.accept(sent, by: worker).events.count
        }
        #expect(events > 0)
    }

    @Test("are known again", arguments: 1...8 as ClosedRange<UInt64>)
    func orders(seed: UInt64) throws {
        var draw = Draw(source: SplitMix(seed: 100 + seed))
        let worker = Logs.worker()
        for _ in 0..<4 {
            var resource = draw.resource()
            let before = try Logs.accept(SentLogs([resource]).protobuf, .protobuf, by: worker)
            // Only keys that stand once may change their order.
            func shuffle(_ attributes: inout SentAttributes) {
                var last: [SentText: SentValue] = [:]
                for (key, value) in attributes.pairs { last[key] = value }
                attributes = SentAttributes(
                    last.map { (key: $0.key, value: $0.value) }.shuffled(using: &draw.source))
            }
            var records = resource.scopes.flatMap { $0 }.shuffled(using: &draw.source)
            for index in records.indices { shuffle(&records[index].attributes) }
            if var attributes = resource.attributes {
                shuffle(&attributes)
                resource.attributes = attributes
            }
            resource.scopes = [[], records]
            let after = try Logs.accept(SentLogs([resource]).protobuf, .protobuf, by: worker)
            #expect(after.batches.map(\.batch.batchID) == before.batches.map(\.batch.batchID))
            #expect(
                after.batches.map { $0.batch.fingerprints.sorted() }
                    == before.batches.map { $0.batch.fingerprints.sorted() })
            #expect(after.rejections.entries.map(\.code) == before.rejections.entries.map(\.code))
        }
    }
}
