import Columns
import Database
import JSON
import Storage

/// Writes one line of an export: what its batch has ready, and between that what the event says.
enum ExportLine {
    private static let begin = Array("{\"time\":".utf8)
    private static let session = Array("\"session.id\":".utf8)
    private static let end = Array("},\"cursor\":\"".utf8)

    /// - Parameters:
    ///   - index: place of the event in its batch as sent
    ///   - name: `,"name":"…"`
    ///   - attributes: in which those of the event lie
    ///   - batches: for the keys of attributes
    /// - Returns: what is wrong with the event; nil where nothing is
    static func append(
        _ event: ExportEvents.Event, index: Int64, name: [UInt8], _ batch: BatchText,
        attributes: Span<UInt8>, _ batches: inout BatchTexts, to out: inout [UInt8]
    ) throws(StorageError) -> String? {
        let time = batch.receivedAt &- event.late
        out += begin
        JSON.Writer.append(time, to: &out)
        out += name
        out += batch.head
        JSON.Writer.append(index, to: &out)
        out += batch.middle
        if event.session >= 0 {
            guard let text = batch.session(event.session) else {
                return "an event has a session that its batch has not"
            }
            out += session
            out += text
        }
        if let range = event.attributes {
            let text = attributes.extracting(range)
            guard try append(text, batch, &batches, isFirst: event.session < 0, to: &out) else {
                return "an event has attributes that cannot be read"
            }
        }
        out += end
        JSON.Writer.append(time, to: &out)
        out.append(UInt8(ascii: "~"))
        JSON.Writer.append(index, to: &out)
        out += batch.tail
        return nil
    }

    /// Key place and value in turn, as members. False where they cannot be read.
    private static func append(
        _ text: Span<UInt8>, _ batch: BatchText, _ batches: inout BatchTexts, isFirst: Bool,
        to out: inout [UInt8]
    ) throws(StorageError) -> Bool {
        var needsComma = !isFirst
        var walk = ArrayElements.Walk(.bare)
        while true {
            switch walk.next(in: text) {
            case .end: return true
            case .broken: return false
            case .element(let key):
                guard case .element(let value) = walk.next(in: text), key.count < 7,
                    let place = text.integer(key), let code = batch.key(Int(place))
                else { return false }
                if needsComma { out.append(UInt8(ascii: ",")) }
                needsComma = true
                out += try batches.key(code)
                text.extracting(value).withUnsafeBufferPointer { out += $0 }
            }
        }
    }
}
