import JSON
import Query

/// Makes the lines of an export, one for each event (docs/reports.md, export). Pieces are written in one
/// go: what a line takes is known before.
struct ExportPage {
    /// Bytes of a piece, but for one that is a single line.
    static let pieceSize = 256 << 10
    /// More bytes than a piece has, so that the end of a chunk fits without another allocation.
    private static let slack = 16

    private let events: ExportedEvents
    /// By the batches' indices.
    private var batches: [BatchText] = []
    /// Texts of the batches.
    private var texts: [UInt8] = []

    /// What the lines of one batch's events have in common, one after the other in `texts`.
    private struct BatchText {
        let start: Int
        /// `,"device":"…","batch_id":"…","index":`
        let head: Int
        /// `,"received_at":…,"resource":{…},"attributes":{`
        let middle: Int
        /// What follows the index in a cursor: `~device~batch_id"}` and the line's end.
        let tail: Int
    }

    private static let begin: StaticString = "{\"time\":"
    private static let name: StaticString = ",\"name\":"
    private static let device: StaticString = ",\"device\":\""
    private static let batch: StaticString = "\",\"batch_id\":"
    private static let index: StaticString = ",\"index\":"
    private static let arrival: StaticString = ",\"received_at\":"
    private static let resource: StaticString = ",\"resource\":"
    private static let attributes: StaticString = ",\"attributes\":{"
    private static let cursor: StaticString = "},\"cursor\":\""
    private static let end: StaticString = "}\n"

    private init(_ events: ExportedEvents) {
        self.events = events
        batches.reserveCapacity(events.batches.count)
        texts.reserveCapacity(events.batches.count * 512)
        for batch in events.batches { add(batch) }
    }

    /// The lines of some events, in pieces.
    static func pieces(of events: ExportedEvents) -> [[UInt8]] {
        let page = ExportPage(events)
        var pieces: [[UInt8]] = []
        var next = 0
        while next < events.events.count { pieces.append(page.piece(from: &next)) }
        return pieces
    }

    private mutating func add(_ batch: ExportedEvents.Batch) {
        let start = texts.count
        let id = batch.id.bytes
        texts += Self.device.bytes
        batch.device.appendHex(to: &texts)
        texts += Self.batch.bytes
        JSON.Writer.append(id.span, to: &texts)
        texts += Self.index.bytes
        let middle = texts.count
        texts += Self.arrival.bytes
        JSON.Writer.append(batch.receivedAt, to: &texts)
        texts += Self.resource.bytes
        texts += events.resources[batch.resource]
        texts += Self.attributes.bytes
        let tail = texts.count
        // A cursor is a JSON string too, so the batch's id is escaped in it. Its first quote goes:
        // the line writes the quote and its own part before this.
        var cursor: [UInt8] = [UInt8(ascii: "~")]
        batch.device.appendHex(to: &cursor)
        cursor.append(UInt8(ascii: "~"))
        cursor += id
        var quoted: [UInt8] = []
        JSON.Writer.append(cursor.span, to: &quoted)
        texts += quoted.dropFirst()
        texts += Self.end.bytes
        batches.append(
            BatchText(
                start: start, head: middle - start, middle: tail - middle, tail: texts.count - tail)
        )
    }

    /// The lines from an event on that make a piece.
    private func piece(from next: inout Int) -> [UInt8] {
        let first = next
        var count = 0
        while next < events.events.count {
            let length = length(of: events.events[next])
            if next > first, count + length > Self.pieceSize { break }
            count += length
            next += 1
        }
        let lines = first..<next
        return [UInt8](unsafeUninitializedCapacity: count + Self.slack) { piece, written in
            guard let start = piece.baseAddress else { return }
            var pen = Pen(start)
            events.text.withUnsafeBufferPointer { text in
                texts.withUnsafeBufferPointer { texts in
                    for line in lines { write(events.events[line], text, texts, &pen) }
                }
            }
            written = pen.offset
        }
    }

    private func length(of event: ExportedEvents.Event) -> Int {
        let batch = batches[Int(event.batch)]
        let numbers = 2 * (Digits.count(event.time) + Digits.count(Int64(event.index)))
        return Self.begin.utf8CodeUnitCount + Self.name.utf8CodeUnitCount
            + Self.cursor.utf8CodeUnitCount + 1 + numbers + event.name.count
            + event.attributes.count + batch.head + batch.middle + batch.tail
    }

    @inline(__always)
    private func write(
        _ event: ExportedEvents.Event, _ text: UnsafeBufferPointer<UInt8>,
        _ texts: UnsafeBufferPointer<UInt8>, _ pen: inout Pen
    ) {
        let batch = batches[Int(event.batch)]
        let (time, index) = (Digits(event.time), Digits(Int64(event.index)))
        pen.write(Self.begin)
        pen.write(time)
        pen.write(Self.name)
        pen.write(text, event.name)
        pen.write(texts, batch.start, batch.head)
        pen.write(index)
        pen.write(texts, batch.start + batch.head, batch.middle)
        pen.write(text, event.attributes)
        pen.write(Self.cursor)
        pen.write(time)
        pen.write(UInt8(ascii: "~"))
        pen.write(index)
        pen.write(texts, batch.start + batch.head + batch.middle, batch.tail)
    }
}

extension StaticString {
    /// Its UTF-8.
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}
