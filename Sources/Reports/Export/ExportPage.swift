import JSON
import Query

/// Some lines of an export, one for each event (docs/reports.md, export).
struct ExportPage: EventSink {
    /// The lines so far.
    private(set) var bytes: [UInt8] = []
    private let limit: Int
    /// Mean bytes of a line on the page before.
    private let expectedLength: Int
    private var lines = 0
    /// By the batch's number on the page.
    private var batches: [ExportBatchText?] = []
    /// Resources as JSON objects, by their numbers on the page.
    private var resources: [[UInt8]?] = []
    /// Bytes of `batches` and `resources`.
    private var size = 0
    /// The time and the index of the current line's event.
    private var (time, index): (Int64, Int64) = (0, 0)
    private var tail: [UInt8] = []
    private var needsComma = false

    /// How many bytes the batches may take, not counting the last one.
    private static let capacity = 4 << 20

    private static let begin = Array("{\"time\":".utf8)
    private static let name = Array(",\"name\":".utf8)
    private static let session = Array("\"session.id\":".utf8)
    private static let end = Array("},\"cursor\":\"".utf8)

    /// A page without lines.
    /// - Parameters:
    ///   - limit: no line begins once the page has this many bytes
    ///   - lineLength: expected bytes of a line
    init(limit: Int, lineLength: Int) {
        self.limit = limit
        expectedLength = lineLength
        bytes.reserveCapacity(limit + 4096)
    }

    /// Mean bytes of a line.
    var lineLength: Int { lines == 0 ? expectedLength : max(128, bytes.count / lines) }

    var isFull: Bool { bytes.count >= limit }

    var wanted: Int { max(0, limit - bytes.count) / lineLength + 1 }

    mutating func begin(
        time: Int64, index: Int64, name: [UInt8], session: ArraySlice<UInt8>?,
        of batch: ExportedBatch
    ) {
        let text = text(of: batch)
        (self.time, self.index, tail) = (time, index, text.tail)
        bytes += Self.begin
        JSON.Writer.append(time, to: &bytes)
        bytes += Self.name
        bytes += name
        bytes += text.head
        JSON.Writer.append(index, to: &bytes)
        bytes += text.middle
        needsComma = false
        if let session {
            bytes += Self.session
            bytes += session
            needsComma = true
        }
    }

    mutating func attribute(_ key: [UInt8], _ value: Span<UInt8>) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        bytes += key
        bytes.append(UInt8(ascii: ":"))
        value.withUnsafeBufferPointer { bytes += $0 }
    }

    mutating func end() {
        bytes += Self.end
        JSON.Writer.append(time, to: &bytes)
        bytes.append(UInt8(ascii: "~"))
        JSON.Writer.append(index, to: &bytes)
        bytes += tail
        lines += 1
    }

    private mutating func text(of exported: ExportedBatch) -> ExportBatchText {
        let number = exported.number
        if number < batches.count, let known = batches[number] { return known }
        if size > Self.capacity {
            for index in batches.indices { batches[index] = nil }
            for index in resources.indices { resources[index] = nil }
            size = 0
        }
        while batches.count <= number { batches.append(nil) }
        let text = ExportBatchText(exported, resource: json(of: exported.resource))
        batches[number] = text
        size += text.size
        return text
    }

    private mutating func json(of resource: ExportedResource) -> [UInt8] {
        let number = resource.number
        if number < resources.count, let known = resources[number] { return known }
        while resources.count <= number { resources.append(nil) }
        var writer = JSON.Writer()
        writer.beginObject()
        for member in resource.members {
            let value = member.value.bytes
            writer.name(member.name)
            writer.string(value.span)
        }
        writer.endObject()
        let text = writer.take()
        resources[number] = text
        size += text.count
        return text
    }
}

/// What the lines of one batch's events have in common, ready to be copied. A class, so that a line
/// copies one reference.
private final class ExportBatchText: Sendable {
    /// `,"device":"…","batch_id":"…","index":`
    let head: [UInt8]
    /// `,"received_at":…,"resource":{…},"attributes":{`
    let middle: [UInt8]
    /// What follows the index in a cursor: `~device~batch_id"}` and the line's end.
    let tail: [UInt8]

    /// Bytes that it takes, about.
    var size: Int { head.count + middle.count + tail.count }

    private static let device = Array(",\"device\":\"".utf8)
    private static let batch = Array("\",\"batch_id\":".utf8)
    private static let index = Array(",\"index\":".utf8)
    private static let arrival = Array(",\"received_at\":".utf8)
    private static let resource = Array(",\"resource\":".utf8)
    private static let attributes = Array(",\"attributes\":{".utf8)
    private static let end = Array("}\n".utf8)
    /// Bytes of the parts other than `batch_id` and `resource`, about.
    private static let room = 96

    init(_ batch: ExportedBatch, resource: [UInt8]) {
        let id = batch.batchID.bytes
        var head: [UInt8] = []
        head.reserveCapacity(id.count + Self.room)
        head += Self.device
        batch.device.appendHex(to: &head)
        head += Self.batch
        JSON.Writer.append(id.span, to: &head)
        head += Self.index
        self.head = head

        // A cursor is a JSON string too, so the batch's id is escaped in it. Its first quote goes:
        // the line writes the quote and its own part before this.
        var cursor: [UInt8] = []
        cursor.reserveCapacity(id.count + Self.room)
        cursor.append(UInt8(ascii: "~"))
        batch.device.appendHex(to: &cursor)
        cursor.append(UInt8(ascii: "~"))
        cursor += id
        var tail: [UInt8] = []
        tail.reserveCapacity(id.count + Self.room)
        JSON.Writer.append(cursor.span, to: &tail)
        tail.removeFirst()
        tail += Self.end
        self.tail = tail

        var middle: [UInt8] = []
        middle.reserveCapacity(resource.count + Self.room)
        middle += Self.arrival
        JSON.Writer.append(batch.receivedAt, to: &middle)
        middle += Self.resource
        middle += resource
        middle += Self.attributes
        self.middle = middle
    }
}
