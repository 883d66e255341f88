import Events
import JSON
import Query

/// Passes events on, and gives numbers to their batches and resources: events of one batch share it.
struct ExportedBatches {
    private struct Key: Hashable {
        let device: DeviceHash
        let batchID: ByteText
    }

    private var batches: [Key: ExportedBatch] = [:]
    private var resources: [[UInt8]: ExportedResource] = [:]
    /// How many batches and resources were met.
    private var (count, resourceCount) = (0, 0)
    private var name: (text: [UInt8], json: [UInt8]) = ([], [])

    /// How many batches are held at once.
    private static let capacity = 8192

    /// Passes an event to `sink`.
    mutating func pass(_ row: ExportRow, to sink: inout some EventSink) {
        if name.text != row.name || name.json.isEmpty {
            name = (row.name, ByteText(bytes: row.name).json)
        }
        let session = row.session.isEmpty ? nil : ByteText(bytes: row.session).json[...]
        sink.begin(
            time: row.position.time, index: row.position.index, name: name.json,
            session: session, of: batch(of: row))
        for (key, value) in zip(row.keys, row.values) {
            let json = Self.scalar(value)
            sink.attribute(ByteText(bytes: key).json, json.span)
        }
        sink.end()
    }

    /// The JSON scalar of a letter and a text: a string in quotes, a number or a boolean as it is.
    private static func scalar(_ value: [UInt8]) -> [UInt8] {
        let text = Array(value.dropFirst())
        return value.first == UInt8(ascii: "s") ? ByteText(bytes: text).json : text
    }

    private mutating func batch(of row: ExportRow) -> ExportedBatch {
        let key = Key(device: row.position.device, batchID: row.position.batchID)
        if let known = batches[key] { return known }
        if batches.count >= Self.capacity {
            batches.removeAll(keepingCapacity: true)
            resources.removeAll(keepingCapacity: true)
        }
        let batch = ExportedBatch(
            number: count, device: key.device, batchID: key.batchID, receivedAt: row.receivedAt,
            resource: resource(row.resource))
        batches[key] = batch
        count += 1
        return batch
    }

    private mutating func resource(_ members: [ResourceMember]) -> ExportedResource {
        var key: [UInt8] = []
        for member in members {
            key += member.name.utf8
            // Neither is a byte of UTF-8.
            key.append(0xfe)
            key += member.value.bytes
            key.append(0xff)
        }
        if let known = resources[key] { return known }
        let resource = ExportedResource(number: resourceCount, members: members)
        resources[key] = resource
        resourceCount += 1
        return resource
    }
}
