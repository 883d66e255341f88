import Events
import StoreTestSupport
import Testing

extension SentBatch {
    /// As ingest hands it to the writer of a store, of the app in row 1.
    func accepted() throws -> AcceptedBatch {
        var names: [String] = []
        var sessions: [String] = []
        var keys: [String] = []
        // Bytes, not `String`s, decide whether two texts are one.
        func index(_ text: String, in list: inout [String]) -> Int {
            if let known = list.firstIndex(where: { Array($0.utf8) == Array(text.utf8) }) {
                return known
            }
            list.append(text)
            return list.count - 1
        }
        var text: [UInt8] = []
        var accepted: [AcceptedEvent] = []
        for (number, event) in events.enumerated() {
            let begin = UInt32(text.count)
            let attributes = event.attributes.map { "\(index($0.key, in: &keys)),\($0.json)" }
            text += Array(attributes.joined(separator: ",").utf8)
            accepted.append(
                AcceptedEvent(
                    index: UInt16(firstIndex + number), name: UInt32(index(event.name, in: &names)),
                    time: event.time,
                    session: event.session.map { Int32(index($0, in: &sessions)) } ?? -1,
                    attributes: begin..<UInt32(text.count)))
        }
        var resource = Resource()
        for (place, member) in Resource.members.enumerated() {
            resource[place] = self.resource[member] ?? ""
        }
        let counts = Dictionary(grouping: rejected, by: { $0 }).map {
            RejectionCount(code: $0.key, count: $0.value.count, firstIndex: 8000)
        }
        let device = try #require(DeviceHash(TestStore.hash(of: device)))
        return AcceptedBatch(
            app: 1, device: device, isShared: isShared, resource: resource, batchID: id,
            receivedAt: receivedAt, clockShift: clockShift,
            profile: UInt8(exactly: profile).flatMap { Profile(rawValue: $0) } ?? .plain, key: nil,
            sequence: sequence, droppedEvents: dropped, bodyBytes: Int(bytes),
            rejected: rejected.count, rejections: [],
            rejectionCounts: counts.sorted { $0.code < $1.code }, names: names,
            sessionsJSON: sessions.isEmpty
                ? nil : Array("[\(sessions.map { "\"\($0)\"" }.joined(separator: ","))]".utf8),
            attributeKeys: keys, events: accepted, text: text)
    }
}
