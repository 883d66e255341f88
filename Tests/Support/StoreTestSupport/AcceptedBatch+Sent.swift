import Events

extension AcceptedBatch {
    /// What Ingest would make of a batch of which every event is good.
    /// - Parameter keys: rows of ingest keys, by their names
    package init(_ sent: SentBatch, app: Int64, keys: [String: Int64] = [:]) throws {
        var resource = Resource()
        for (place, member) in Resource.members.enumerated() {
            resource[place] = sent.resource[member] ?? ""
        }
        var texts = Texts()
        var text: [UInt8] = []
        var events: [AcceptedEvent] = []
        for (place, event) in sent.events.enumerated() {
            let begin = UInt32(text.count)
            let parts = event.attributes.map { "\(texts.keys.place(of: $0.key)),\($0.json)" }
            if !parts.isEmpty { text += Array(parts.joined(separator: ",").utf8) }
            events.append(
                AcceptedEvent(
                    index: UInt16(sent.firstIndex + place),
                    name: UInt32(texts.names.place(of: event.name)), time: event.time,
                    session: event.session.map { Int32(texts.sessions.place(of: $0)) } ?? -1,
                    attributes: begin..<UInt32(text.count)))
        }
        guard let device = DeviceHash(TestStore.hash(of: sent.device)) else {
            preconditionFailure("a hash has 16 bytes")
        }
        guard let profile = UInt8(exactly: sent.profile).flatMap(Profile.init(rawValue:)) else {
            preconditionFailure("a profile has a number")
        }
        self.init(
            app: app, device: device, isShared: sent.isShared, resource: resource,
            batchID: sent.id, receivedAt: sent.receivedAt, clockShift: sent.clockShift,
            profile: profile, key: sent.key.flatMap { keys[$0] }, sequence: sent.sequence,
            droppedEvents: sent.dropped, bodyBytes: Int(sent.bytes),
            rejected: sent.rejected.count, rejections: [],
            rejectionCounts: Set(sent.rejected).sorted().map { code in
                RejectionCount(
                    code: code, count: sent.rejected.count { $0 == code }, firstIndex: 0)
            }, names: texts.names.list, sessionsJSON: texts.sessions.json,
            attributeKeys: texts.keys.list, events: events, text: text)
    }

    /// Texts that a batch refers to by place.
    private struct Texts {
        var names = TextList()
        var sessions = TextList()
        var keys = TextList()
    }

    private struct TextList {
        var list: [String] = []

        /// Bytes, not `String`s, decide whether two texts are one.
        mutating func place(of text: String) -> Int {
            if let place = list.firstIndex(where: { $0.utf8.elementsEqual(text.utf8) }) {
                return place
            }
            list.append(text)
            return list.count - 1
        }

        var json: [UInt8]? {
            if list.isEmpty { return nil }
            return Array("[\(list.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
        }
    }
}
