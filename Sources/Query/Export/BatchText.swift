import Columns
import Database
import Events
import JSON
import Storage

/// What the lines of one batch's events have in common, ready to be copied. A class, since each
/// line takes a reference to all of it.
final class BatchText: Sendable {
    /// Row of its app.
    let app: Int64
    /// Whose it is.
    let device: DeviceHash
    /// `,"device":"…","batch_id":"…","index":`
    let head: [UInt8]
    /// `,"received_at":…,"resource":{…},"attributes":{`
    let middle: [UInt8]
    /// What stands in a cursor behind the index: `~device~batch_id"}` and the line's end.
    let tail: [UInt8]
    /// When it came, milliseconds since 1970-01-01T00:00:00Z.
    let receivedAt: Int64
    private let sessions: Elements
    /// Rows of the keys of its attributes: a batch may have thousands, of which a line needs its own.
    private let keys: [Int64]

    /// A stored array and its elements.
    private struct Elements: Sendable {
        let text: [UInt8]
        let ranges: [Range<Int>]

        init?(_ text: [UInt8]) {
            if text.isEmpty {
                (self.text, ranges) = ([], [])
                return
            }
            guard let ranges = ArrayElements.ranges(in: text.span, .bracketed) else { return nil }
            (self.text, self.ranges) = (text, ranges)
        }

        subscript(place: Int64) -> ArraySlice<UInt8>? {
            guard let place = Int(exactly: place), ranges.indices.contains(place) else {
                return nil
            }
            return text[ranges[place]]
        }
    }

    /// Octets that it takes, about.
    var size: Int {
        head.count + middle.count + tail.count + sessions.text.count
            + 16 * sessions.ranges.count + 8 * keys.count
    }

    /// A session's id as a JSON string, by its place.
    func session(_ place: Int64) -> ArraySlice<UInt8>? { sessions[place] }

    /// The row of an attribute's key, by its place.
    func key(_ place: Int) -> Int64? { keys.indices.contains(place) ? keys[place] : nil }

    /// ?1 is the batch.
    static let select = """
        SELECT d.hash, b.batch_id, b.received_at, b.sessions, b.attribute_keys, b.resource, b.app
        FROM batch AS b CROSS JOIN device AS d WHERE b.id = ?1 AND d.id = b.device
        """

    /// From the row on which a statement of `select` stands; nothing where the row is damaged.
    /// - Parameters:
    ///   - keys: what its `attribute_keys` say
    ///   - resource: what the batch says, a JSON object
    init?(_ row: borrowing Statement, keys: [Int64], resource: [UInt8]) {
        guard let device = row.withBlob(0, { DeviceHash($0) }), let sessions = Elements(row.blob(3))
        else { return nil }
        app = row.int(6)
        receivedAt = row.int(2)
        self.device = device
        self.sessions = sessions
        self.keys = keys

        var head = Self.deviceName
        device.appendHex(to: &head)
        head += Self.batchName
        row.withText(1) { JSON.Writer.append($0, to: &head) }
        head += Self.indexName
        self.head = head

        // A cursor is a string too: what has to be escaped in the batch's id is escaped in it. It
        // goes on from the line's own part, without its first quote.
        var cursor: [UInt8] = [UInt8(ascii: "~")]
        device.appendHex(to: &cursor)
        cursor.append(UInt8(ascii: "~"))
        row.withText(1) { text in text.withUnsafeBufferPointer { cursor += $0 } }
        var tail: [UInt8] = []
        JSON.Writer.append(cursor.span, to: &tail)
        tail.removeFirst()
        tail += Self.lineEnd
        self.tail = tail

        var middle = Self.arrivalName
        JSON.Writer.append(receivedAt, to: &middle)
        middle += Self.resourceName
        middle += resource
        middle += Self.attributesName
        self.middle = middle
    }

    private static let deviceName = Array(",\"device\":\"".utf8)
    private static let batchName = Array("\",\"batch_id\":".utf8)
    private static let indexName = Array(",\"index\":".utf8)
    private static let lineEnd = Array("}\n".utf8)
    private static let arrivalName = Array(",\"received_at\":".utf8)
    private static let resourceName = Array(",\"resource\":".utf8)
    private static let attributesName = Array(",\"attributes\":{".utf8)
}
