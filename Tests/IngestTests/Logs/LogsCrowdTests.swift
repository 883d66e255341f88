import Events
import Foundation
import TestSupport
import Testing

@testable import Ingest

/// Requests that say one thing very often: memory follows what can be kept, not how often it is said.
@Suite("attributes without end")
struct LogsCrowdTests {
    private static func record(_ attributes: [[UInt8]]) -> [UInt8] {
        var record = Wire.fixed64(1, 1_763_700_000_000_000_000)
        record += Wire.bytes(12, Array("a.b".utf8))
        for attribute in attributes { record += Wire.bytes(6, attribute) }
        return record
    }

    private static func pair(_ key: String, _ value: [UInt8]) -> [UInt8] {
        Wire.bytes(1, Array(key.utf8)) + Wire.bytes(2, value)
    }

    private static func int(_ value: UInt64) -> [UInt8] { Wire.number(3, value) }

    private static func request(_ record: [UInt8]) -> [UInt8] {
        let device = pair("device.id", Wire.bytes(1, Array("d".utf8)))
        return Wire.bytes(
            1, Wire.bytes(1, Wire.bytes(1, device)) + Wire.bytes(2, Wire.bytes(2, record)))
    }

    private func judged(_ record: [UInt8]) throws -> AcceptedBatch {
        let worker = LogsWorker()
        let accepted = try worker.accept(
            Self.request(record).span, .protobuf,
            JudgeContext(profile: .otlp, arrival: 1_763_700_000_000),
            app: AccessList.App(id: 1, name: "shop", allowsPlain: true),
            DeviceIdentity(pepper: [1]), sent: 1,
            IngestLimits(maxInflatedBytes: 8 << 20, maxBatchEvents: 5_000, maxEventAge: 1))
        return try #require(accepted.batches.first).batch
    }

    @Test("of a key that stands a hundred thousand times the last counts")
    func repeated() throws {
        let many = (0..<100_000).map { Self.pair("k", Self.int(UInt64($0))) }
        let batch = try judged(Self.record(many + [Self.pair("a", Self.int(7))]))
        #expect(batch.attributeKeys == ["a", "k"])
        #expect(String(decoding: batch.text, as: UTF8.self) == "0,7,1,99999")
    }

    @Test("values that are taken back do not count, however many there were of them")
    func takenBack() throws {
        let set = (0..<900).map { Self.pair("k\($0)", Self.int(1)) }
        let unset = (0..<900).map { Self.pair("k\($0)", []) }
        let batch = try judged(Self.record(set + unset + [Self.pair("a", Self.int(7))]))
        #expect(batch.attributeKeys == ["a"])
    }

    @Test("more keys than any record may have are rejected, and its name is still looked at")
    func tooMany() throws {
        let many = (0..<5_000).map { Self.pair("k\($0)", Self.int(1)) }
        #expect(try judged(Self.record(many)).rejectionCounts.map(\.code) == ["invalid-attribute"])
        let name = Self.pair("event.name", Wire.bytes(1, Array("Not A Name".utf8)))
        var record = Wire.fixed64(1, 1_763_700_000_000_000_000)
        for attribute in many + [name] { record += Wire.bytes(6, attribute) }
        #expect(try judged(record).rejectionCounts.map(\.code) == ["invalid-name"])
    }

    @Test("long keys are no more than others, and without a value no attributes")
    func longKeys() throws {
        let keys = (0..<900).map { String(repeating: "k", count: 2_000) + "\($0)" }
        let empty = Array(repeating: [] as [UInt8], count: 100_000)
        let set = keys.map { Self.pair($0, Self.int(1)) }
        #expect(
            try judged(Self.record(set + empty)).rejectionCounts.map(\.code)
                == ["invalid-attribute"])
        let unset = keys.reversed().map { Self.pair($0, []) }
        let batch = try judged(Self.record(set + empty + unset + [Self.pair("a", Self.int(7))]))
        #expect(batch.attributeKeys == ["a"] && batch.events.count == 1)
    }

    @Test("of a kvlist of long keys those of short ones stay as well")
    func longKeysInList() throws {
        let long = (0..<257).reversed().map { number in
            Self.pair(String(repeating: "k", count: 8_000) + "\(1_000 + number)", Self.int(1))
        }
        let empty = Array(repeating: [] as [UInt8], count: 150_000)
        let all = long + empty + [Self.pair("a", Self.int(2)), Self.pair("l", Self.int(3))]
        let list = all.flatMap { Wire.bytes(1, $0) }
        let batch = try judged(Self.record([Self.pair("list", Wire.bytes(6, list))]))
        let whole = #"{"":null,"a":2,""# + String(repeating: "k", count: 1_024)
        let stored = whole.prefix(1_024).replacingOccurrences(of: "\"", with: "\\\"")
        #expect(String(decoding: batch.text, as: UTF8.self) == "0,\"\(stored)\"")
    }

    @Test("of a key that stands a hundred thousand times in a kvlist the last counts")
    func kvlist() throws {
        let many = (0..<100_000).flatMap {
            Wire.bytes(1, Self.pair($0 % 2 == 0 ? "k" : "j", Self.int(UInt64($0))))
        }
        let batch = try judged(Self.record([Self.pair("list", Wire.bytes(6, many))]))
        #expect(
            String(decoding: batch.text, as: UTF8.self) == #"0,"{\"j\":99999,\"k\":99998}""#)
    }

    @Test(
        "of a kvlist of very many keys those stay that its text begins with",
        arguments: 1...4 as ClosedRange<UInt64>)
    func manyKeys(seed: UInt64) throws {
        var source = SplitMix(seed: seed)
        let keys = (0..<5_000).map { "k\($0)" } + ["", "a", "\u{10000}", "\u{e000}"]
        // Each stands twice, and the last counts.
        let first = keys.shuffled(using: &source).map { Self.pair($0, Self.int(1)) }
        let last = keys.shuffled(using: &source).map { Self.pair($0, Self.int(2)) }
        let list = (first + last).flatMap { Wire.bytes(1, $0) }
        let batch = try judged(Self.record([Self.pair("list", Wire.bytes(6, list))]))
        let sorted = keys.sorted { Array($0.utf16).lexicographicallyPrecedes(Array($1.utf16)) }
        let whole = "{" + sorted.map { "\"\($0)\":2" }.joined(separator: ",") + "}"
        let cut = String(decoding: whole.utf8.prefix(1_024), as: UTF8.self)
        let stored = cut.replacingOccurrences(of: "\"", with: "\\\"")
        #expect(String(decoding: batch.text, as: UTF8.self) == "0,\"\(stored)\"")
    }

    @Test(
        "a long array is cut where its JSON is, between scalars, and what is broken after that too")
    func longArray() throws {
        let text = Wire.bytes(1, Wire.bytes(1, Array("é😀".utf8)))
        let long = (0..<50_000).flatMap { _ in text }
        let batch = try judged(Self.record([Self.pair("list", Wire.bytes(5, long))]))
        let whole = "[" + Array(repeating: #""é😀""#, count: 200).joined(separator: ",")
        var cut = ""
        for scalar in whole.unicodeScalars {
            guard cut.utf8.count + String(scalar).utf8.count <= 1_024 else { break }
            cut.unicodeScalars.append(scalar)
        }
        let stored = cut.replacingOccurrences(of: "\"", with: "\\\"")
        #expect(String(decoding: batch.text, as: UTF8.self) == "0,\"\(stored)\"")
        let broken = long + Wire.bytes(1, Wire.bytes(1, [0xff]))
        let same = try judged(Self.record([Self.pair("list", Wire.bytes(5, broken))]))
        #expect(same.text == batch.text)
        let first = Wire.bytes(1, Wire.bytes(1, [0xff])) + long
        #expect(
            try judged(Self.record([Self.pair("list", Wire.bytes(5, first))]))
                .rejectionCounts.map(\.code) == ["invalid-attribute"])
    }
}
