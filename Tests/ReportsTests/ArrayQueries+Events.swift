import Events
import Query
import StoreTestSupport

/// Events one by one, and what is kept of a device.
extension ArrayQueries {
    func events<Text: Sendable>(
        _ cursor: inout EventCursor, limit: Int,
        _ render: @escaping @Sendable (ExportedEvents) -> Text
    ) -> [Text] {
        let events = Twin.events(of: batches)
            .map { (event: $0, position: Self.position(of: $0)) }
            .filter { matches(cursor, $0.event, $0.position) }
            .sorted { Self.precedes($0.position, $1.position) }
        var left = events[...]
        if let last = cursor.position {
            left = left.drop { !Self.precedes(last, $0.position) }
        }
        var some = ExportedEvents()
        while some.lineBytes < limit, let (next, position) = left.popFirst() {
            let (batch, event) = (next.batch, next.event)
            let resource = some.add(resource: ResourceMember.json(Self.members(of: batch)))
            let number = some.add(
                ExportedEvents.Batch(
                    device: position.device, id: position.batchID, receivedAt: batch.receivedAt,
                    resource: resource))
            let name = ByteText(event.name).json
            some.begin(name: name.span)
            if let session = event.session.map({ ByteText($0).json }) {
                some.add(session: session.span)
            }
            for (key, json) in event.attributes {
                let (key, value) = (ByteText(key).json + ":".utf8, Array(json.utf8))
                some.add(key.span, value.span)
            }
            some.end(time: event.time, index: Int64(next.index), ofBatch: number)
            cursor.position = position
        }
        cursor.isDone = left.isEmpty
        return some.isEmpty ? [] : [render(some)]
    }

    private func matches(
        _ cursor: EventCursor, _ event: Twin.Event, _ position: ExportPosition
    ) -> Bool {
        let isInside = cursor.stretches?.contains { $0.contains(event.event.time) } ?? true
        let isLetThrough = zip(ResourceFilter.dimensions, cursor.filter.values)
            .allSatisfy { dimension, values in
                let text = event.batch.resource[dimension] ?? ""
                return values.isEmpty || values.contains(text.isEmpty ? .unknown : ByteText(text))
            }
        return isInside && isLetThrough && (cursor.device.map { $0 == position.device } ?? true)
    }

    private static func position(of event: Twin.Event) -> ExportPosition {
        ExportPosition(
            time: event.event.time, index: Int64(event.index), device: hash(event.batch.device),
            batchID: ByteText(event.batch.id))
    }

    private static func precedes(_ a: ExportPosition, _ b: ExportPosition) -> Bool {
        if a.time != b.time { return a.time < b.time }
        if a.batchID != b.batchID { return a.batchID < b.batchID }
        if a.index != b.index { return a.index < b.index }
        return a.device.bytes.lexicographicallyPrecedes(b.device.bytes)
    }

    /// The hash under which `TestStore` keeps a device.
    static func hash(_ device: String) -> DeviceHash {
        guard let hash = DeviceHash(TestStore.hash(of: device)) else {
            preconditionFailure("a hash has 16 bytes")
        }
        return hash
    }

    private static func members(of batch: SentBatch) -> [ResourceMember] {
        Resource.members.compactMap { name in
            guard let value = batch.resource[name], !value.isEmpty else { return nil }
            return ResourceMember(name: name, value: ByteText(value))
        }
    }

    func hasDevice(_ device: DeviceHash, of app: QueryApp) -> Bool {
        batches.contains { Self.hash($0.device) == device }
    }

    func device(_ device: DeviceHash, of app: QueryApp) -> DeviceRecord? {
        let own = batches.filter { Self.hash($0.device) == device }
        guard let name = own.first?.device else { return nil }
        let left = own.flatMap { $0.left.map(\.event) }
        var resources: [[ResourceMember]] = []
        let arrived = own.sorted { a, b in
            a.receivedAt != b.receivedAt
                ? a.receivedAt < b.receivedAt : ByteText(a.id) < ByteText(b.id)
        }
        for members in arrived.map(Self.members) where !resources.contains(members) {
            resources.append(members)
        }
        let times = left.map(\.time)
        let arrivals = own.map(\.receivedAt)
        return DeviceRecord(
            device: device, isShared: own.contains(where: \.isShared),
            firstSeen: LastingFacts.of(batches)[name]?.first?.event.time,
            firstEvent: times.min(), lastEvent: times.max(), firstArrival: arrivals.min(),
            lastArrival: arrivals.max(), batches: Int64(own.count), events: Int64(left.count),
            rejected: own.reduce(0) { $0 + Int64($1.rejected.count) },
            sessions: Int64(Set(left.compactMap(\.session).map { ByteText($0) }).count),
            resources: resources)
    }
}
