import Events
import FuzzSupport
import Ingest
import JSON

/// The judge of batches says what `PlainJudge` says, also when it has judged others before, and
/// what it hands on is within the limits of docs/protocol.md.
enum Batches {
    static let arrival: Int64 = 1_763_700_000_000

    /// Used for every input, as a worker does.
    nonisolated(unsafe) private static let worker = Worker()

    private final class Worker {
        var judge = BatchJudge()
    }

    static func check(_ text: [UInt8], _ value: Value?, _ context: JudgeContext) {
        let plain = PlainJudge(value, context)
        do throws(BatchRule) {
            let batch = try worker.judge.judge(text.span, context)
            expect(
                plain.broken == nil, "taken, though it breaks \(String(describing: plain.broken))")
            compare(batch, plain, value, context)
            var fresh = BatchJudge(hash: TextHash(first: 1, second: 2))
            let again = try fresh.judge(text.span, context)
            expect(
                batch.events == again.events && batch.text == again.text
                    && batch.names == again.names && batch.sessionsJSON == again.sessionsJSON
                    && batch.attributeKeys == again.attributeKeys
                    && batch.resource == again.resource && batch.rejections == again.rejections
                    && batch.rejectionCounts == again.rejectionCounts
                    && batch.rawDeviceID == again.rawDeviceID && batch.batchID == again.batchID,
                "judged in another way by a new judge")
        } catch {
            expect(
                plain.broken == error,
                "refused for \(error), not \(String(describing: plain.broken))")
        }
    }

    private static func compare(
        _ batch: JudgedBatch, _ plain: PlainJudge, _ value: Value?, _ context: JudgeContext
    ) {
        let rejected = plain.codes.enumerated().filter { $0.element != nil }
        expect(batch.rejected == rejected.count, "\(batch.rejected) rejected of \(rejected)")
        expect(
            batch.rejections.count == min(Rejection.maxReported, rejected.count), "a long answer")
        for (rejection, (index, code)) in zip(batch.rejections, rejected) {
            expect(
                rejection.index == index && rejection.rule.code == code,
                "\(rejection), not \(index) \(code ?? "")")
        }
        for count in batch.rejectionCounts {
            let same = rejected.filter { $0.element == count.code }
            expect(same.count == count.count && same[0].offset == count.firstIndex, "\(count)")
        }
        expect(batch.clockShift == plain.shift, "moved by \(batch.clockShift)")
        expect(batch.sequence == value?["sequence"]?.integer, "another sequence")
        expect(batch.droppedEvents == value?["dropped_events"]?.integer ?? 0, "others dropped")
        expect((1...256).contains(batch.rawDeviceID.count), "a device id out of bounds")
        expect(batch.resource.texts.allSatisfy { $0.utf8.count <= 128 }, "a long resource")
        for (name, text) in zip(Resource.members, batch.resource.texts) {
            expect(
                value?["resource"]?[name] ?? .string([]) == .string(Array(text.utf8)),
                "another \(name)")
        }
        events(batch, plain, value)
    }

    private static func events(_ batch: JudgedBatch, _ plain: PlainJudge, _ value: Value?) {
        guard case .array(let sent) = value?["events"] else { return expect(false, "no events") }
        let accepted = sent.indices.filter { plain.codes[$0] == nil }
        expect(batch.events.map { Int($0.index) } == accepted, "other events")
        let sessions = list(batch.sessionsJSON)
        let keys = batch.attributeKeys.map { Value.string(Array($0.utf8)) }
        expect(Set(batch.names.map { Array($0.utf8) }).count == batch.names.count, "a name twice")
        for event in batch.events {
            let source = sent[Int(event.index)]
            let name = Array(batch.names[Int(event.name)].utf8)
            expect(source["name"] == .string(name), "another name")
            expect(event.time == (source["time"]?.integer ?? 0) + plain.shift, "another time")
            let session = event.session < 0 ? nil : sessions[Int(event.session)]
            expect(source["attributes"]?["session.id"] == session, "another session")
            attributes(
                batch.text[Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)],
                keys, source)
        }
    }

    /// What is stored of an event's attributes is what was sent but for `session.id`.
    private static func attributes(_ blob: ArraySlice<UInt8>, _ keys: [Value], _ source: Value) {
        var sent: [Value.Member] = []
        if case .object(let members) = source["attributes"] {
            sent = members.filter { $0.name != Array("session.id".utf8) }
        }
        // As it is stored it has no brackets.
        let stored = list([UInt8(ascii: "[")] + blob + [UInt8(ascii: "]")])
        expect(stored.count == 2 * sent.count, "\(stored.count / 2) of \(sent.count) attributes")
        for (place, member) in sent.enumerated() {
            let key = stored[2 * place].integer.map { keys[Int($0)] }
            expect(key == .string(member.name), "another key")
            let value = stored[2 * place + 1]
            if case .number(let text) = value, case .number(let original) = member.value {
                let (left, right) = [text, original].map {
                    Double(String(decoding: $0, as: UTF8.self))
                }
                .pair
                expect(left == right, "another number")
            } else {
                expect(value == member.value, "another value")
            }
        }
    }

    private static func list(_ json: [UInt8]?) -> [Value] {
        guard let json else { return [] }
        guard case .array(let values) = PlainJSON.read(json) else {
            expect(false, "stored as \(String(decoding: json, as: UTF8.self))")
            return []
        }
        return values
    }
}

extension Array {
    fileprivate var pair: (Element, Element) { (self[0], self[1]) }
}
