import Events

/// Batches as Ingest would make them.
enum Batches {
    static let noon: Int64 = 1_763_640_000_000

    static func device(_ number: Int) -> DeviceHash {
        DeviceHash(high: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number))
    }

    /// One event at each of `times`, in a session of its own, with an attribute.
    static func make(
        _ id: String, app: Int64 = 1, device: Int = 1, times: [Int64] = [noon],
        shared: Bool = false,
        version: String = "1.0", name: String = "screen.view", rejected: Int = 0
    ) -> AcceptedBatch {
        var text: [UInt8] = []
        var events: [AcceptedEvent] = []
        for (index, time) in times.enumerated() {
            let begin = UInt32(text.count)
            text += Array(#"0,"menu\#(index)""#.utf8)
            events.append(
                AcceptedEvent(
                    index: UInt16(index), name: 0, time: time, session: 0,
                    attributes: begin..<UInt32(text.count)))
        }
        var resource = Resource()
        resource.osName = "iOS"
        resource.serviceVersion = version
        return AcceptedBatch(
            app: app, device: self.device(device), isShared: shared, resource: resource,
            batchID: id,
            receivedAt: noon + 1000, clockShift: 0, profile: .plain, key: nil, sequence: nil,
            droppedEvents: 0, bodyBytes: 100, rejected: rejected, rejections: [],
            rejectionCounts: [], names: events.isEmpty ? [] : [name],
            sessionsJSON: events.isEmpty ? nil : Array(#"["s-1"]"#.utf8),
            attributeKeys: events.isEmpty ? [] : ["app.screen.name"],
            events: events, text: text)
    }
}
