import FuzzSupport
import Ingest

/// One request, encoded in many ways: the verdict is the same.
enum Encodings {
    static func check(_ message: Message, seed: Int, limit: Int, isNew: Bool) {
        let protobuf = ProtobufForm.encode(message, seed: seed)
        let json = JSONForm.encode(message, seed: seed)
        expect(Message(protobuf: protobuf) == message, "written in protobuf as something else")
        expect(Message(json: json) == message, "written in JSON as something else")
        let left = Server.accept(protobuf, .protobuf, limit: limit)
        let right = Server.accept(json, .json, limit: limit, isNew: isNew)
        Promises.check(left, message, .protobuf, limit: limit, size: protobuf.count)
        Promises.check(right, message, .json, limit: limit, size: json.count)
        expectSame(left, right)
    }

    /// Both have kept what is promised; this compares what `Promises` leaves to the server too.
    static func expectSame(_ left: Outcome, _ right: Outcome) {
        guard case .taken(let left) = left, case .taken(let right) = right else { return }
        for (left, right) in zip(left.batches, right.batches) {
            expect(BatchForm(left) == BatchForm(right), "another batch \(left), \(right)")
        }
        expect(left.logs.rejections.form == right.logs.rejections.form, "other rejections")
        expect(left.parts == right.parts, "parts of \(left.parts) and \(right.parts)")
    }
}

/// A request, and its records in another order: batches and records are known again.
enum Orders {
    static func check(_ message: Message, seed: Int, limit: Int) {
        var quirks = Quirks(seed: seed | 1)
        let other = Message(resources: message.resources.map { shuffled($0, &quirks) })
        let first = ProtobufForm.encode(message, seed: 0)
        let second = ProtobufForm.encode(other, seed: seed)
        let left = Server.accept(first, .protobuf, limit: limit)
        let right = Server.accept(second, .protobuf, limit: limit)
        Promises.check(left, message, .protobuf, limit: limit, size: first.count)
        Promises.check(right, other, .protobuf, limit: limit, size: second.count)
        guard case .taken(let left) = left, case .taken(let right) = right else { return }
        let isWhole = message.resources.allSatisfy { $0.recordCount <= Server.maxEvents[limit] }
        expect(
            !isWhole || left.batches.map(\.batch.batchID) == right.batches.map(\.batch.batchID),
            "other batches, in another order")
        expect(
            left.batches.flatMap(\.batch.fingerprints).sorted()
                == right.batches.flatMap(\.batch.fingerprints).sorted(),
            "other records, in another order")
        expect(
            left.logs.rejections.entries.map { "\($0.count) \($0.code)" }
                == right.logs.rejections.entries.map { "\($0.count) \($0.code)" },
            "other rejections, in another order")
        alone(message, left, limit: limit)
    }

    /// Each ResourceLogs in a request of its own gives the same batches.
    private static func alone(_ message: Message, _ taken: Taken, limit: Int) {
        var rest = taken.batches[...]
        for resource in message.resources.prefix(8) {
            let bytes = ProtobufForm.encode(Message(resources: [resource]), seed: 0)
            guard case .taken(let one) = Server.accept(bytes, .protobuf, limit: limit) else {
                return expect(false, "a part of a request is refused")
            }
            for batch in one.batches {
                guard let same = rest.popFirst() else { return expect(false, "more batches alone") }
                expect(
                    BatchForm(batch, hasPlaces: false) == BatchForm(same, hasPlaces: false),
                    "another batch alone")
            }
        }
    }

    private static func shuffled(_ logs: ResourceLogs, _ quirks: inout Quirks) -> ResourceLogs {
        let records = logs.scopes.joined().map { record in
            var record = record
            record.attributes = shuffled(record.attributes, &quirks)
            return record
        }
        var indexes = Array(records.indices)
        indexes = quirks.mixed(indexes) { $0 }
        var scopes: [[Record]] = [[]]
        for index in indexes {
            if quirks.happens(3) { scopes.append([]) }
            scopes[scopes.count - 1].append(records[index])
        }
        return ResourceLogs(attributes: shuffled(logs.attributes, &quirks), scopes: scopes)
    }

    /// Those of one key stay in their order: the last counts.
    private static func shuffled(_ attributes: [Attribute], _ quirks: inout Quirks) -> [Attribute] {
        quirks.mixed(attributes, by: \.key).map { attribute in
            guard case .kvlist(let members) = attribute.value else { return attribute }
            return Attribute(key: attribute.key, value: .kvlist(shuffled(members, &quirks)))
        }
    }
}
