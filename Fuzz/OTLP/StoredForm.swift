import Events
import FuzzSupport

/// The columns of a batch: names, sessions and attributes of its events.
struct StoredForm {
    private let batch: AcceptedBatch
    private let names: [[UInt8]]
    private let keys: [[UInt8]]
    private let sessions: [Value]

    init(_ batch: AcceptedBatch) {
        self.batch = batch
        names = batch.names.map { Array($0.utf8) }
        keys = batch.attributeKeys.map { Array($0.utf8) }
        sessions = batch.sessionsJSON.map(Self.list) ?? []
    }

    func check(_ records: [PlainRecord]) {
        expect(Set(names).count == names.count, "a name twice")
        expect(Set(keys).count == keys.count, "a key twice")
        expect(Set(names) == Set(records.map(\.name)), "names that no event has")
        let used = records.flatMap(\.attributes).map(\.key).filter { $0 != Array("session.id") }
        expect(Set(keys) == Set(used), "keys that no event has")
        expect((batch.sessionsJSON == nil) == sessions.isEmpty, "sessions of nobody")
        let ids = sessions.compactMap(Self.text)
        expect(Set(ids).count == ids.count, "a session twice")
        expect(Set(ids) == Set(records.compactMap(\.session)), "sessions that no event has")
        var end: UInt32 = 0
        for (event, record) in zip(batch.events, records) {
            expect(names[Int(event.name)] == record.name, "another name")
            expect(event.time == Int64(record.time / 1_000_000), "another time")
            let session = event.session < 0 ? nil : Self.text(sessions[Int(event.session)])
            expect(session == record.session, "another session")
            let range = event.attributes
            expect(range.isEmpty || range.lowerBound == end, "a gap before \(range)")
            expect(range.upperBound <= batch.text.count, "\(range) beyond the end")
            if !range.isEmpty { end = range.upperBound }
            attributes(
                batch.text[Int(range.lowerBound)..<Int(range.upperBound)], record.attributes)
        }
        expect(end == batch.text.count, "\(batch.text.count - Int(end)) bytes of no event")
    }

    /// They stand as JSON, index of the key and value in turn.
    private func attributes(
        _ stored: ArraySlice<UInt8>, _ all: [(key: [UInt8], json: [UInt8])]
    ) {
        let values = Self.list(Array("[") + stored + Array("]"))
        let sent = all.filter { $0.key != Array("session.id") }
        expect(values.count == 2 * sent.count, "\(values.count / 2) of \(sent.count) attributes")
        var text: [UInt8] = []
        for (index, attribute) in sent.enumerated() {
            let number = values[2 * index].integer.map(Int.init) ?? -1
            expect(keys.indices.contains(number) && keys[number] == attribute.key, "another key")
            switch values[2 * index + 1] {
            case .string(let text): expect(text.count <= 1024, "a string of \(text.count) bytes")
            case .number, .bool: break
            default: expect(false, "a value that is stored nowhere")
            }
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += Array(String(number)) + Array(",") + attribute.json
        }
        expect(
            text == Array(stored),
            "stored as \(String(decoding: stored, as: UTF8.self)), not "
                + String(decoding: text, as: UTF8.self))
    }

    private static func text(_ value: Value) -> [UInt8]? {
        guard case .string(let text) = value, (1...64).contains(text.count) else {
            expect(false, "\(value) as a session")
            return nil
        }
        return text
    }

    private static func list(_ json: [UInt8]) -> [Value] {
        guard case .array(let values) = PlainJSON.read(json) else {
            expect(false, "stored as \(String(decoding: json, as: UTF8.self))")
            return []
        }
        return values
    }
}
