import Database
import Storage

/// The order of an export: by time, `batch_id`, index, device.
extension ExportedEvents {
    /// Sorts the events. Throws what `check` throws, which is called now and then.
    mutating func sort(_ check: RowOrder.Check) throws(StorageError) {
        guard let first = events.first else { return }
        var (least, greatest) = (first.time, first.time)
        for event in events {
            least = min(least, event.time)
            greatest = max(greatest, event.time)
        }
        // So many rows as there are events, about: most have one each.
        let span = UInt64(bitPattern: greatest &- least)
        let shift = max(0, events.count.leadingZeroBitCount - span.leadingZeroBitCount - 1)
        let batches = batches
        try RowOrder.sort(
            &events, by: { Int64(bitPattern: UInt64(bitPattern: $0.time &- least) >> shift) },
            then: { Self.precedes($0, $1, batches) }, check)
    }

    private static func precedes(_ a: Event, _ b: Event, _ batches: [Batch]) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.batch == b.batch { return a.index < b.index }
        let (one, other) = (batches[Int(a.batch)], batches[Int(b.batch)])
        if one.id != other.id { return one.id < other.id }
        return a.index != b.index ? a.index < b.index : one.device < other.device
    }

    /// The first events whose lines take so many bytes, at least one, in memory of their own.
    func first(bytes limit: Int) -> ExportedEvents {
        var some = ExportedEvents()
        var (batchIndices, resourceIndices): ([Int32: Int], [Int: Int]) = ([:], [:])
        for event in events {
            if some.lineBytes >= limit, !some.isEmpty { break }
            let batch = batches[Int(event.batch)]
            let resource =
                resourceIndices[batch.resource] ?? some.add(resource: resources[batch.resource])
            resourceIndices[batch.resource] = resource
            let index =
                batchIndices[event.batch]
                ?? some.add(
                    Batch(
                        device: batch.device, id: batch.id, receivedAt: batch.receivedAt,
                        resource: resource))
            batchIndices[event.batch] = index
            let start = some.text.count
            some.text += text[event.name.lowerBound..<event.attributes.upperBound]
            some.name = start..<start + event.name.count
            some.end(time: event.time, index: Int64(event.index), ofBatch: index)
        }
        return some
    }

    /// Removes all events after the first whose lines take so many bytes, at least one.
    /// - Returns: whether there were any
    mutating func cut(toBytes limit: Int) -> Bool {
        if lineBytes <= limit { return false }
        var (count, bytes) = (0, 0)
        while count < events.count, bytes < limit || count == 0 {
            bytes += self.bytes(ofLine: events[count])
            count += 1
        }
        if count == events.count { return false }
        events.removeLast(events.count - count)
        lineBytes = bytes
        return true
    }
}
