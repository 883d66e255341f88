import Events
import Query

/// Collects events: those of one batch share it, and batches of one resource share that.
struct ExportedBatches {
    private struct Key: Hashable {
        let device: DeviceHash
        let batchID: ByteText
    }

    private(set) var events = ExportedEvents()
    private var batches: [Key: Int] = [:]
    private var resources: [[UInt8]: Int] = [:]
    private var name: (text: [UInt8], json: [UInt8]) = ([], [])

    /// Adds an event.
    mutating func add(_ row: ExportRow) {
        if name.text != row.name || name.json.isEmpty {
            name = (row.name, ByteText(bytes: row.name).json)
        }
        let batch = batch(of: row)
        let json = name.json
        events.begin(name: json.span)
        if !row.session.isEmpty {
            let session = ByteText(bytes: row.session).json
            events.add(session: session.span)
        }
        for (key, value) in zip(row.keys, row.values) {
            let key = ByteText(bytes: key).json + [UInt8(ascii: ":")]
            let json = Self.scalar(value)
            events.add(key.span, json.span)
        }
        events.end(time: row.position.time, index: row.position.index, ofBatch: batch)
    }

    /// The JSON scalar of a letter and a text: a string in quotes, a number or a boolean as it is.
    private static func scalar(_ value: [UInt8]) -> [UInt8] {
        let text = Array(value.dropFirst())
        return value.first == UInt8(ascii: "s") ? ByteText(bytes: text).json : text
    }

    private mutating func batch(of row: ExportRow) -> Int {
        let key = Key(device: row.position.device, batchID: row.position.batchID)
        if let known = batches[key] { return known }
        let batch = events.add(
            ExportedEvents.Batch(
                device: key.device, id: key.batchID, receivedAt: row.receivedAt,
                resource: resource(row.resource)))
        batches[key] = batch
        return batch
    }

    private mutating func resource(_ members: [ResourceMember]) -> Int {
        let json = ResourceMember.json(members)
        if let known = resources[json] { return known }
        let resource = events.add(resource: json)
        resources[json] = resource
        return resource
    }
}
