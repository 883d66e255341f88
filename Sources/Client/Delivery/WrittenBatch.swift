import JSON
import Sealing

/// A batch's JSON as somebody wrote it, with the little a client has to know of it. Any bytes will do:
/// what is no batch is sent as it is, for the server to name what is wrong. Code that reads files
/// rejects those longer than `longest` before.
package struct WrittenBatch: Sendable {
    /// A member of the top-level object: its range, name and value.
    private struct Member {
        let name: String
        let whole: Range<Int>
        let value: Range<Int>
        let token: Token
    }

    /// Bytes that a text may have to be read; a server takes far less (8 MiB inflated).
    package static let longest = 64 << 20

    /// The text, byte for byte.
    package let bytes: [UInt8]
    /// `batch_id`, if there is one.
    package let batchID: String?
    /// The range of the value of `sent_at`, if it is a number.
    private let sentAt: Range<Int>?

    /// Reads what there is to read.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let members = Self.members(of: bytes) ?? []
        var batchID: String?
        var sentAt: Range<Int>?
        for member in members {
            switch (member.name, member.token.kind) {
            case ("batch_id", _): batchID = member.token.text?.string(in: bytes)
            case ("sent_at", .integer), ("sent_at", .hugeInteger), ("sent_at", .decimal):
                sentAt = member.value
            default: break
            }
        }
        self.batchID = batchID
        // A client that gives no id is known by its bytes: they stay the same.
        self.sentAt = batchID == nil ? nil : sentAt
    }

    /// The text as it is sent at `moment` (milliseconds): `sent_at` is set to it, if it is there, and
    /// everything else is as it was.
    package func stamped(_ moment: Int64) -> [UInt8] {
        guard let sentAt else { return bytes }
        var out = Array(bytes[..<sentAt.lowerBound])
        Writer.append(moment, to: &out)
        out += bytes[sentAt.upperBound...]
        return out
    }

    /// The id that an answer has to name when this is posted as `profile`.
    package func expectedID(_ profile: SealProfile) -> ExpectedBatchID {
        if let batchID { return .id(batchID) }
        guard profile == .legacy else { return .unknown }
        return bytes.isEmpty ? .null : .id("sha256:" + Hashing.sha256(bytes.span).hex)
    }

    /// How many events it has; nil where that is not to be seen.
    var eventCount: Int? {
        let events = Self.members(of: bytes)?.first { $0.name == "events" }
        return events.flatMap { Self.elements(of: bytes, $0.value)?.count }
    }

    /// The batch as two with half the events each, always the same two: `.1` and `.2` are added to the
    /// id. Only the first keeps `sequence` and `dropped_events`, so that nothing counts twice. Nil where
    /// there are not two events or no id.
    package func halves() -> (first: [UInt8], second: [UInt8])? {
        guard let batchID, batchID.utf8.count <= 62, let members = Self.members(of: bytes),
            let events = members.first(where: { $0.name == "events" }),
            let elements = Self.elements(of: bytes, events.value), elements.count >= 2
        else { return nil }
        let middle = elements.count / 2
        func part(_ suffix: String, _ own: ArraySlice<Range<Int>>, isFirst: Bool) -> [UInt8] {
            var writer = Writer(reserving: bytes.count)
            writer.beginObject()
            for member in members {
                switch member.name {
                case "batch_id": writer.member("batch_id", batchID + suffix)
                case "events":
                    writer.name("events")
                    writer.beginArray()
                    for element in own { writer.raw(bytes[element]) }
                    writer.endArray()
                case "sequence" where !isFirst, "dropped_events" where !isFirst: break
                default: writer.raw(bytes[member.whole])
                }
            }
            writer.endObject()
            return writer.take()
        }
        return (
            part(".1", elements[..<middle], isFirst: true),
            part(".2", elements[middle...], isFirst: false)
        )
    }

    /// The members of the top-level object; nil if the text is no I-JSON object.
    private static func members(of bytes: [UInt8]) -> [Member]? {
        guard bytes.count <= longest else { return nil }
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(bytes.span)
            guard try scanner.value(bytes.span).kind == .object else { return nil }
            var members: [Member] = []
            while let name = try scanner.member(bytes.span) {
                let token = try scanner.value(bytes.span)
                let start = valueStart(token)
                try scanner.skipRest(of: token, bytes.span)
                members.append(
                    Member(
                        name: name.text.string(in: bytes),
                        whole: name.text.start - 1..<scanner.position,
                        value: start..<scanner.position, token: token))
            }
            try scanner.finish(bytes.span)
            return members
        } catch {
            return nil
        }
    }

    /// The elements of the array in `range`; nil if it is no array.
    private static func elements(of bytes: [UInt8], _ range: Range<Int>) -> [Range<Int>]? {
        let text = Array(bytes[range])
        var scanner = Scanner()
        do throws(Malformed) {
            try scanner.reset(text.span)
            guard try scanner.value(text.span).kind == .array else { return nil }
            var elements: [Range<Int>] = []
            while try scanner.element(text.span) {
                let token = try scanner.value(text.span)
                let start = valueStart(token)
                try scanner.skipRest(of: token, text.span)
                elements.append(
                    start + range.lowerBound..<scanner.position + range.lowerBound)
            }
            return elements
        } catch {
            return nil
        }
    }

    /// The offset of a value's first byte: a string's token begins after its quote.
    private static func valueStart(_ token: Token) -> Int {
        token.text == nil ? token.start : token.start - 1
    }
}
