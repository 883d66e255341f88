import Events
import Testing

@testable import Ingest

/// Requests of many records or many resources (spec: OpenTelemetry, Reading: Batches).
@Suite("many log records at once")
struct LogsPartsTests {
    private func records(_ count: Int, from first: Int = 0) -> [SentRecord] {
        (first..<first + count).map { SentRecord("n\($0 % 7)", ["i": .int(Int64($0))]) }
    }

    @Test(
        "more than a batch may have are cut in order into several", arguments: LogsEncoding.allCases
    )
    func cut(encoding: LogsEncoding) throws {
        let worker = Logs.worker(maxEvents: 4)
        for count in 0...21 {
            let sent = SentLogs([
                SentResource(scopes: [
                    [], records(count / 3), [], records(count - count / 3, from: count / 3),
                ])
            ])
            let logs = try Logs.accept(
                encoding == .json ? sent.json() : sent.protobuf, encoding, by: worker)
            let sizes = stride(from: 0, to: count, by: 4).map { min(4, count - $0) }
            #expect(logs.batches.map(\.batch.events.count) == sizes)
            #expect(logs.events.map(\.attributes) == (0..<count).map { ["i": "\($0)"] })
            #expect(logs.events.map(\.index) == (0..<count).map { $0 % 4 })
            #expect(Set(logs.batches.map(\.batch.batchID)).count == sizes.count)
            // The body counts with the first alone.
            let bytes = (encoding == .json ? sent.json() : sent.protobuf).count
            #expect(
                logs.batches.map(\.batch.bodyBytes) == sizes.indices.map { $0 == 0 ? bytes : 0 })
            // Each knows where its records stand.
            for (number, batch) in logs.batches.enumerated() {
                for index in 0..<batch.batch.events.count {
                    let record = 4 * number + index
                    let place = batch.places.place(of: index)
                    #expect(
                        place.description
                            == (record < count / 3 ? "0/1/\(record)" : "0/3/\(record - count / 3)"))
                }
            }
        }
    }

    @Test("rejected records count among those of a batch, and stand in the answer by their place")
    func cutRejected() throws {
        var all = records(10)
        for bad in [0, 3, 4, 9] { all[bad] = SentRecord("Bad") }
        let logs = try Logs.accept(SentLogs(records: all), by: Logs.worker(maxEvents: 4))
        #expect(logs.batches.map(\.batch.events.count) == [2, 3, 1])
        #expect(
            logs.batches.map(\.batch.rejections).map { $0.map(\.index) } == [[0, 3], [0], [1]])
        #expect(logs.events.map(\.index) == [1, 2, 1, 2, 3, 0])
        #expect(logs.rejected == ["invalid-name×4@0/0/0"])
        #expect(logs.batches.map { $0.batch.fingerprints.count } == [2, 3, 1])
    }

    @Test("a batch of a large resource is that of a small one with its records")
    func same() throws {
        let large = try Logs.accept(SentLogs(records: records(9)), by: Logs.worker(maxEvents: 4))
        let small = try [(4, 0), (4, 4), (1, 8)].map { count, first in
            try Logs.accept(SentLogs(records: records(count, from: first)))
        }
        #expect(Logs.forms(of: large) == small.flatMap(Logs.forms))
    }

    @Test("each resource has batches of its own, equal ones too")
    func resources() throws {
        let sent = SentLogs([
            SentResource(scopes: [records(2)]), SentResource(scopes: [[]]),
            SentResource(scopes: [records(2, from: 2)]), SentResource(scopes: [records(1)]),
        ])
        let logs = try Logs.accept(sent)
        #expect(logs.batches.map(\.batch.events.count) == [2, 2, 1])
        #expect(logs.events.map(\.index) == [0, 1, 0, 1, 0])
        #expect(
            logs.batches.map { $0.places.place(of: 0).description } == ["0/0/0", "2/0/0", "3/0/0"])
    }

    @Test("more than ten times a batch's are too many, wherever they stand")
    func tooMany() throws {
        let worker = Logs.worker(maxEvents: 3)
        let device = SentResource.device
        for (resources, isGood) in [
            ([SentResource(device, scopes: [records(30)])], true),
            ([SentResource(device, scopes: [records(31)])], false),
            ([SentResource(device, scopes: [records(15), records(16)])], false),
            ([SentResource([:], scopes: [records(31)])], false),
            ([SentResource([:], scopes: [records(30)])], true),
            (
                [SentResource(device, scopes: [Array(repeating: SentRecord("Bad"), count: 31)])],
                false
            ),
            (Array(repeating: SentResource(device, scopes: [records(1)]), count: 30), true),
            (Array(repeating: SentResource(device, scopes: [records(1)]), count: 31), false),
            (
                [
                    SentResource([:], scopes: [records(15)]),
                    SentResource(device, scopes: [records(16)]),
                ],
                false
            ),
        ] {
            let sent = SentLogs(resources)
            for (bytes, encoding) in [(sent.protobuf, .protobuf), (sent.json(), .json)]
                as [([UInt8], LogsEncoding)]
            {
                let refusal = Logs.refusal(bytes, encoding, by: worker)
                #expect(refusal == (isGood ? nil : .tooManyRecords))
            }
        }
        // As many ResourceLogs or ScopeLogs are too many, empty or not.
        for (resources, scopes, isGood) in [
            (30, 1, true), (31, 0, false), (31, 1, false), (1, 30, true), (1, 31, false),
            (2, 15, true), (2, 16, false), (30, 0, true),
        ] {
            let empty = SentResource(nil, scopes: Array(repeating: [], count: scopes))
            let sent = SentLogs(Array(repeating: empty, count: resources))
            for (bytes, encoding) in [(sent.protobuf, .protobuf), (sent.json(), .json)]
                as [([UInt8], LogsEncoding)]
            {
                let refusal = Logs.refusal(bytes, encoding, by: worker)
                #expect(refusal == (isGood ? nil : .tooManyRecords), "\(resources) \(scopes)")
            }
        }
        // What is malformed after them is malformed.
        let many = SentLogs(records: records(31)).protobuf
        #expect(Logs.refusal(many + [0], .protobuf, by: worker) == .malformedProtobuf)
    }

    /// Resources, some without a device, without records, with rejected ones, of two scopes.
    private func many(_ count: Int) -> SentLogs {
        SentLogs(
            (0..<count).map { number in
                let text = SentValue.text("d-\(number)")
                let device: SentAttributes = number % 10 == 9 ? [:] : ["device.id": text]
                var scopes = [records(number % 3, from: number), records(1, from: 100 + number)]
                if number % 11 == 3 { scopes[1].append(SentRecord("Bad")) }
                if number % 13 == 5 { scopes = [[], []] }
                return SentResource(device + ["os.name": text], scopes: scopes)
            })
    }

    @Test(
        "a large request comes in parts, which together are its batches",
        arguments: LogsEncoding.allCases)
    func parts(encoding: LogsEncoding) throws {
        let sent = many(300)
        let worker = Logs.worker(maxEvents: 100)
        let bytes = encoding == .json ? sent.json(.other) : sent.protobuf
        let logs = try Logs.accept(bytes, encoding, by: worker)
        #expect(logs.batches.isEmpty)
        let rest = try #require(logs.rest)
        var batches: [LogBatch] = []
        var rounds = 0
        while !rest.isEmpty {
            #expect(rest.memory > bytes.count)
            // Others are judged in between.
            #expect(Logs.refusal([0], .protobuf, by: worker) == .malformedProtobuf)
            #expect(try Logs.accept(SentLogs(records: records(5)), by: worker).events.count == 5)
            let more = worker.acceptMore(of: rest)
            #expect(more.count == Self.room || rest.isEmpty)
            batches += more
            rounds += 1
        }
        #expect(rounds >= 3 && worker.acceptMore(of: rest).isEmpty)
        // Each resource by itself makes the same, but for its place; the order is that of devices.
        var expected: [(batch: AcceptedBatch, number: Int)] = []
        var rejected = 0
        for (number, resource) in sent.resources.enumerated() {
            let alone = try Logs.accept(SentLogs([resource]).protobuf, .protobuf)
            expected += alone.batches.map { ($0.batch, number) }
            rejected += alone.rejections.count
            if let batch = alone.batches.first {
                // The body counts with the first of the request, wherever that comes.
                let same = batches.first { $0.batch.device == batch.batch.device }
                #expect(same?.batch.bodyBytes == (number == 0 ? bytes.count : 0))
            }
        }
        expected.sort { ($0.batch.device, $0.number) < ($1.batch.device, $1.number) }
        #expect(batches.map(BatchForm.init) == expected.map { BatchForm($0.batch) })
        #expect(expected.count > 200)
        #expect(
            batches.map { $0.places.place(of: 0).description }
                == expected.map { "\($0.number)/\($0.number % 3 == 0 ? 1 : 0)/0" })
        // What is rejected is known at once, of all parts.
        #expect(logs.rejections.count == rejected && logs.refusedResources == 28)
        #expect(logs.device == nil)
    }

    /// Batches of a part.
    private static let room = 32

    @Test("a request of 32 resources is judged whole, one of 33 in two parts")
    func border() throws {
        for (count, isWhole) in [(Self.room, true), (Self.room + 1, false)] {
            let sent = SentLogs((0..<count).map { SentResource(scopes: [records(1, from: $0)]) })
            let logs = try Logs.accept(sent)
            #expect(logs.batches.count == (isWhole ? count : 0))
            #expect((logs.rest == nil) == isWhole && logs.device != nil)
            guard let rest = logs.rest else { continue }
            let worker = Logs.worker()
            var parts: [[LogBatch]] = []
            while !rest.isEmpty { parts.append(worker.acceptMore(of: rest)) }
            #expect(parts.map(\.count) == [Self.room, 1])
            // Of one device they keep their order.
            let places = parts.joined().map { $0.places.place(of: 0).resource }
            #expect(places == Array(0..<count))
        }
    }

    @Test("few resources with much in them come in parts as well")
    func muchText() throws {
        let text = SentValue.text(String(repeating: "x", count: 1000))
        let values = SentAttributes((0..<30).map { (key: SentText("k\($0)"), value: text) })
        let resource = SentResource(scopes: [(0..<20).map { SentRecord("n\($0)", values) }])
        let worker = Logs.worker()
        let logs = try Logs.accept(
            SentLogs(Array(repeating: resource, count: 6)).protobuf, .protobuf, by: worker)
        let rest = try #require(logs.rest)
        #expect(logs.batches.isEmpty)
        var parts: [[LogBatch]] = []
        while !rest.isEmpty { parts.append(worker.acceptMore(of: rest)) }
        #expect(parts.count > 1 && parts.allSatisfy { !$0.isEmpty })
        let forms = parts.joined().map(BatchForm.init)
        let alone = try Logs.accept(SentLogs([resource]).protobuf, .protobuf)
        #expect(forms == Array(repeating: Logs.forms(of: alone)[0], count: 6))
    }
}
