import Events
import FuzzSupport
import Ingest

/// The rules of docs/protocol.md, The batch and Events, row by row over a whole value.
struct PlainJudge {
    /// The first broken rule of the batch.
    var broken: BatchRule?
    /// By event: the code of the first rule it breaks.
    var codes: [String?] = []
    var shift: Int64 = 0

    private static let safe: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

    init(_ batch: Value?, _ context: JudgeContext) {
        guard let batch, case .object = batch else {
            broken = .text
            return
        }
        if let sentAt = batch["sent_at"]?.integer, Self.isCount(batch["sent_at"]) {
            let skew = context.arrival - sentAt
            shift = abs(skew) > 60_000 ? skew : 0
        }
        for (rule, holds) in Self.rows(batch, context) where !holds() {
            broken = rule
            return
        }
        guard case .array(let events) = batch["events"] else { return }
        codes = events.map { event in
            Self.rows(event, shift: shift, context).first { !$0.holds() }?.code
        }
    }

    private static func rows(
        _ batch: Value, _ context: JudgeContext
    ) -> [(BatchRule, () -> Bool)] {
        let resource = batch["resource"]
        return [
            (.schema, { batch["schema"] == nil || batch["schema"]?.integer == 1 }),
            (
                .batchID,
                {
                    guard let id = batch["batch_id"] else { return context.profile == .legacy }
                    return text(id, 1...64).map { $0.allSatisfy(isInBatchID) } ?? false
                }
            ),
            (.sentAt, { isCount(batch["sent_at"]) }),
            (.sequence, { isCount(batch["sequence"]) }),
            (.droppedEvents, { isCount(batch["dropped_events"]) }),
            (.resource, { if case .object = resource { true } else { false } }),
            (
                .deviceID,
                { text(resource?["app.installation.id"] ?? resource?["device.id"], 1...256) != nil }
            ),
            (
                .resourceMember,
                {
                    Resource.members.allSatisfy {
                        resource?[$0] == nil || text(resource?[$0], 0...128) != nil
                    }
                }
            ),
            (.events, { if case .array = batch["events"] { true } else { false } }),
            (
                .eventCount,
                {
                    guard case .array(let events) = batch["events"] else { return true }
                    return events.count <= context.maxEvents
                }
            ),
        ]
    }

    private static func rows(
        _ event: Value, shift: Int64, _ context: JudgeContext
    ) -> [(code: String, holds: () -> Bool)] {
        let name = text(event["name"], 0...64)
        let attributes = event["attributes"]
        let standard = StandardEvent(rawValue: String(decoding: name ?? [], as: UTF8.self))
        let needed = standard.map { [$0.required] + [$0.optional].compactMap { $0 } } ?? []
        return [
            ("invalid-event", { event["name"] != nil && event["time"] != nil }),
            ("invalid-name", { name.map { EventName.isValid($0.span) } ?? false }),
            ("invalid-time", { isInteger(event["time"]) }),
            (
                "time-out-of-range",
                {
                    guard let time = event["time"]?.integer, safe.contains(time) else {
                        return false
                    }
                    let age = context.arrival - (time + shift)
                    return age <= context.maxEventAge && age >= -86_400_000
                }
            ),
            ("invalid-attribute", { areAttributes(attributes) }),
            (
                "invalid-attribute",
                {
                    attributes?["session.id"] == nil
                        || text(attributes?["session.id"], 1...64) != nil
                }
            ),
            (
                "missing-attribute",
                { standard.map { attributes?[$0.required.key] != nil } ?? true }
            ),
            ("invalid-attribute", { needed.allSatisfy { isFormed(attributes?[$0.key], $0.form) } }),
        ]
    }

    private static func areAttributes(_ attributes: Value?) -> Bool {
        guard let attributes else { return true }
        guard case .object(let members) = attributes, members.count <= 32 else { return false }
        return members.allSatisfy { member in
            guard (1...64).contains(member.name.count) else { return false }
            switch member.value {
            case .string(let octets): return octets.count <= 1024
            case .bool: return true
            case .number(let text):
                if isInteger(member.value) {
                    return member.value.integer.map(safe.contains) ?? false
                }
                return Double(String(decoding: text, as: UTF8.self))?.isFinite ?? false
            case .object, .array, .null: return false
            }
        }
    }

    private static func isFormed(_ value: Value?, _ form: StandardAttribute.Form) -> Bool {
        guard let value else { return true }
        switch form {
        case .text(let range): return text(value, range) != nil
        case .integer(let range): return value.integer.map(range.contains) ?? false
        }
    }

    private static func isInteger(_ value: Value?) -> Bool {
        guard case .number(let text) = value else { return false }
        return text.allSatisfy { $0 == UInt8(ascii: "-") || $0 >= 0x30 && $0 < 0x3a }
    }

    private static func isCount(_ value: Value?) -> Bool {
        guard let value else { return true }
        return value.integer.map { $0 >= 0 && safe.contains($0) } ?? false
    }

    private static func text(_ value: Value?, _ length: ClosedRange<Int>) -> [UInt8]? {
        guard case .string(let octets) = value, length.contains(octets.count) else { return nil }
        return octets
    }

    private static func isInBatchID(_ octet: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(octet))
        return character.isASCII && (character.isLetter || character.isNumber)
            || "._:-".contains(character)
    }
}
