import Events
import JSON
import Storage

/// What the lines of one batch's events have in common, ready to be copied.
struct BatchText: Sendable {
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
    /// The keys of its attributes as JSON strings.
    private let keys: [[UInt8]]

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
            + 16 * sessions.ranges.count + keys.reduce(0) { $0 + $1.count + 48 }
    }

    /// A session's id as a JSON string, by its place.
    func session(_ place: Int64) -> ArraySlice<UInt8>? { sessions[place] }

    /// An attribute's key as a JSON string, by its place.
    func key(_ place: Int64) -> [UInt8]? {
        guard let place = Int(exactly: place), keys.indices.contains(place) else { return nil }
        return keys[place]
    }

    /// ?1 is the batch.
    static let select = """
        SELECT d.hash, b.batch_id, b.received_at, b.sessions, b.attribute_keys,
            r.os_name, r.os_version, r.device_model, r.device_manufacturer, r.service_version,
            r.app_build_id, r.sdk_name, r.sdk_version, b.app
        FROM batch AS b CROSS JOIN device AS d CROSS JOIN resource AS r
        WHERE b.id = ?1 AND d.id = b.device AND r.id = b.resource
        """

    /// From the row on which a statement of `select` stands; nothing where the row is damaged.
    /// - Parameter keys: the texts behind its `attribute_keys`, as JSON strings
    init?(_ row: borrowing Statement, keys: [[UInt8]]) {
        guard let device = DeviceHash(row.blob(0)),
            let sessions = Elements(row.blob(3))
        else { return nil }
        app = row.int(13)
        receivedAt = row.int(2)
        self.device = device
        self.sessions = sessions
        self.keys = keys

        let batchID = row.blob(1)
        var head = Array(",\"device\":\"\(device.hex)\",\"batch_id\":".utf8)
        JSON.Writer.append(batchID.span, to: &head)
        head += ",\"index\":".utf8
        self.head = head

        var tail: [UInt8] = []
        JSON.Writer.append((Array("~\(device.hex)~".utf8) + batchID).span, to: &tail)
        // The string goes on from the line's own part: without its first quote.
        tail.removeFirst()
        tail += "}\n".utf8
        self.tail = tail

        var middle = JSON.Writer()
        middle.beginObject()
        for (place, name) in Resource.members.enumerated() {
            let text = row.blob(Int32(5 + place))
            if text.isEmpty { continue }
            middle.name(name)
            middle.string(text.span)
        }
        middle.endObject()
        self.middle =
            Array(",\"received_at\":\(row.int(2)),\"resource\":".utf8) + middle.take()
            + Array(",\"attributes\":{".utf8)
    }
}
