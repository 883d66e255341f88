import Events

/// Batches as Ingest would make them.
package enum Batches {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package static let noon: Int64 = 1_763_640_000_000

    /// A device by its number, of which that of 0 has a hash of zeros.
    package static func device(_ number: Int) -> DeviceHash {
        DeviceHash(high: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number))
    }

    /// One event at each of `times`, in a session of its own, with an attribute.
    package static func make(
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

    /// A batch of a device whose texts are its own: `mark` stands in each of them.
    package static func marked(_ mark: String, _ id: String, device: Int, times: [Int64])
        -> AcceptedBatch
    {
        var batch = make(
            "\(id)-\(mark)", device: device, times: times, version: "v-\(mark)",
            name: "app.\(mark)")
        batch.sessionsJSON = Array("[\"s-\(id)-\(mark)\"]".utf8)
        batch.attributeKeys = ["key-\(mark)"]
        batch.text = []
        for place in batch.events.indices {
            let begin = UInt32(batch.text.count)
            batch.text += Array("0,\"value\(place)-\(mark)\"".utf8)
            batch.events[place].attributes = begin..<UInt32(batch.text.count)
        }
        batch.rejected = 1
        batch.rejectionCounts = [
            RejectionCount(code: "invalid-name", count: 1, firstIndex: 8000)
        ]
        return batch
    }

    /// Some devices, of which each has texts of its own and some that all have.
    package static let crowd: [AcceptedBatch] = (1...5).flatMap { device in
        (0..<4).flatMap { number -> [AcceptedBatch] in
            let times = [noon + Int64(number), noon - 5]
            let own = marked(
                "mark\(device)x", "b\(number)", device: device, times: times)
            let common = make("c\(number)", device: device, times: times)
            return [own, common, own]
        }
    }
}
