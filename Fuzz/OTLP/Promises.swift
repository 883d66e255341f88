import Events
import FuzzSupport
import Ingest

/// What the server makes of a request is what `PlainRequest` says, and within all limits.
struct Promises {
    private let plain: PlainRequest
    private let taken: Taken

    /// - Parameters:
    ///   - message: what the request says; nil: it is malformed
    ///   - size: of the request, bytes
    static func check(
        _ outcome: Outcome, _ message: Message?, _ encoding: LogsEncoding, limit: Int, size: Int
    ) {
        let plain = message.map { PlainRequest($0, maxEvents: Server.maxEvents[limit]) }
        switch outcome {
        case .refused(let refusal):
            let malformed: BatchRefusal = encoding == .json ? .malformedLogs : .malformedProtobuf
            let tooMany = plain?.hasTooMany == true ? BatchRefusal.tooManyRecords : nil
            let expected = plain == nil ? malformed : tooMany
            expect(refusal == expected, "refused: \(refusal), not \(String(describing: expected))")
        case .taken(let taken):
            guard let plain, !plain.hasTooMany else {
                return expect(false, "taken, \(plain == nil ? "though malformed" : "too large")")
            }
            Promises(plain: plain, taken: taken).check(size)
        }
    }

    private func check(_ size: Int) {
        let expected = plain.batches
        expect(taken.batches.count == expected.count, "\(taken.batches.count) batches")
        var memory = 0
        for (index, batch) in taken.batches.enumerated() {
            check(batch, expected[index].resource, Array(expected[index].records))
            let bodyBytes = index == 0 ? size : 0
            expect(batch.batch.bodyBytes == bodyBytes, "\(batch.batch.bodyBytes) of \(bodyBytes)")
            memory += batch.batch.memory
        }
        // An escape within an escape makes seven bytes of one.
        expect(memory <= 1100 * expected.count + 64 * size, "\(memory) bytes of \(size)")
        for part in taken.parts.dropLast() {
            expect(part >= 32 || memory > 1 << 20, "a part of \(part) batches, and more")
        }
        whole(expected)
        rejections()
    }

    private func whole(_ expected: [(resource: PlainResource, records: ArraySlice<PlainRecord>)]) {
        expect(taken.logs.refusedResources == plain.refused.count, "other resources refused")
        let records = plain.resources.reduce(0) { $0 + $1.records.count }
        let stored = taken.batches.reduce(0) { $0 + $1.batch.events.count }
        let rejected = taken.batches.reduce(0) { $0 + $1.batch.rejected }
        expect(
            taken.logs.rejections.count == rejected + plain.refused.reduce(0, +),
            "\(taken.logs.rejections.count) records rejected")
        expect(
            stored + taken.logs.rejections.count == records,
            "\(stored) stored and \(taken.logs.rejections.count) rejected of \(records)")
        let devices = Set(expected.compactMap(\.resource.device))
        let one = plain.refused.isEmpty && devices.count == 1 ? devices.first : nil
        expect(taken.logs.device == one.map(Server.device), "another device")
        expect(
            taken.logs.isShared == (taken.batches.first?.batch.isShared ?? false), "shared or not")
    }

    /// Each code with its count and the first place, in the order of the codes.
    private func rejections() {
        var expected: [(code: String, count: Int, first: RecordPlace)] = []
        for code in ["invalid-device-id"] + EventRule.codes {
            var places: [RecordPlace] = []
            for resource in plain.resources {
                for record in resource.records
                where (resource.device == nil ? "invalid-device-id" : record.code) == code {
                    places.append(
                        RecordPlace(
                            resource: resource.index, scope: record.scope, record: record.index))
                }
            }
            if let first = places.min() { expected.append((code, places.count, first)) }
        }
        let entries = taken.logs.rejections.entries
        expect(
            entries.map { "\($0.code) \($0.count) \($0.first)" }
                == expected.map { "\($0.code) \($0.count) \($0.first)" },
            "\(taken.logs.rejections.form), not \(expected)")
    }

    private func check(_ logs: LogBatch, _ resource: PlainResource, _ records: [PlainRecord]) {
        let batch = logs.batch
        expect(batch.app == Server.app.id && batch.profile == .otlp, "of another app or profile")
        expect(batch.receivedAt == Server.arrival && batch.clockShift == 0, "at another time")
        expect(
            batch.sequence == nil && batch.droppedEvents == 0 && batch.key == nil, "as in a batch")
        expect(resource.device.map(Server.device) == batch.device, "another device")
        for (text, expected) in zip(batch.resource.texts, resource.texts) {
            expect(Array(text.utf8) == expected, "'\(text)' in the resource")
        }
        for (index, record) in records.enumerated() {
            let place = RecordPlace(
                resource: resource.index, scope: record.scope, record: record.index)
            expect(logs.places.place(of: index) == place, "\(index) stands not at \(place)")
        }
        let events = records.indices.filter { records[$0].code == nil }
        expect(batch.events.map { Int($0.index) } == events, "other events")
        rejections(batch, records)
        StoredForm(batch).check(events.map { records[$0] })
        let digest = PlainDigests.resource(resource.texts)
        let digests = records.map { PlainDigests.record($0, digest) }
        expect(batch.batchID == PlainDigests.batch(digests, digest), "another batch id")
        expect(
            batch.fingerprints == events.map { PlainDigests.fingerprint(digests[$0]) },
            "other fingerprints")
    }

    private func rejections(_ batch: AcceptedBatch, _ records: [PlainRecord]) {
        let rejected = records.enumerated().filter { $0.element.code != nil }
        expect(batch.rejected == rejected.count, "\(batch.rejected) rejected")
        expect(
            batch.rejections.count == min(Rejection.maxReported, rejected.count), "a long answer")
        for (rejection, expected) in zip(batch.rejections, rejected) {
            expect(
                rejection.index == expected.offset && rejection.rule.code == expected.element.code,
                "\(rejection), not \(expected.offset) \(expected.element.code ?? "")")
        }
        for count in batch.rejectionCounts {
            let same = rejected.filter { $0.element.code == count.code }
            expect(same.count == count.count && same[0].offset == count.firstIndex, "\(count)")
        }
    }
}
