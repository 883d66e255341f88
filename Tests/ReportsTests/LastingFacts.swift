import Query
import Reports
import StoreTestSupport

/// What the store knows of a device besides its batches and what is left of their events
/// (docs/operation.md, Retention).
struct LastingFacts {
    var isShared = false
    /// Its earliest event ever, whether it is left or not.
    var first: Twin.Event?
    /// Of deleted events the first completion of each content, by the bytes of `content.id` as JSON.
    var completions: [[UInt8]: Twin.Event] = [:]

    /// Of devices of which nothing was deleted.
    static func of(_ batches: [SentBatch]) -> [String: LastingFacts] {
        batches.reduce(into: [:]) { $0[$1.device, default: LastingFacts()].add($1) }
    }

    /// Takes a further batch into account.
    mutating func add(_ batch: SentBatch) {
        isShared = isShared || batch.isShared
        first = (Twin.events(of: [batch]) + [first].compactMap(\.self))
            .min { $0.precedes($1, byKind: false) }
    }

    /// Keeps of an event that is deleted what outlives it.
    mutating func keep(_ event: Twin.Event) {
        guard event.event.name == "content.complete",
            let json = event.event.attributes.first(where: { $0.key == "content.id" })?.json
        else { return }
        let content = Array(json.utf8)
        if completions[content].map({ event.precedes($0, byKind: false) }) ?? true {
            completions[content] = event
        }
    }

    /// Forgets batches: what they alone said goes. That the device is shared stays, since nobody knows
    /// any more which of its batches said so.
    /// - Parameter left: the device's others, some of whose events may be deleted
    mutating func forget(_ batches: [SentBatch], left: [SentBatch]) {
        let gone = Set(batches.map(\.id))
        completions = completions.filter { !gone.contains($0.value.batch.id) }
        guard let first, gone.contains(first.batch.id) else { return }
        self.first = Twin.events(of: left).min { $0.precedes($1, byKind: false) }
    }
}

extension TestStore {
    /// Writes down what outlives events, of devices whose batches are stored.
    func keep(_ facts: [String: LastingFacts]) throws {
        for (device, fact) in facts {
            try write(
                "UPDATE device SET shared = ?2, first_time = NULL, first_batch_id = NULL, "
                    + "first_index = NULL, first_resource = NULL WHERE hash = ?1",
                device, [fact.isShared ? 1 : 0])
            if let first = fact.first {
                try write(
                    """
                    UPDATE device SET first_time = ?2, first_index = ?3, first_batch_id = ?4,
                        first_resource = (SELECT resource FROM batch AS b
                            WHERE b.device = device.id AND b.batch_id = ?4)
                    WHERE hash = ?1
                    """, device, [first.event.time, Int64(first.index)], first.batch.id)
            }
            for (content, event) in fact.completions {
                // An `id` in JSON; as text it has no quotes.
                let text = String(decoding: content.dropFirst().dropLast(), as: UTF8.self)
                try write(
                    """
                    INSERT INTO completion (device, content, time, event)
                    SELECT d.id, ?5, ?2, b.id << 13 | ?3
                    FROM device AS d JOIN batch AS b ON b.device = d.id AND b.batch_id = ?4
                    WHERE d.hash = ?1
                    """, device, [event.event.time, Int64(event.index)], event.batch.id, text)
            }
        }
    }

    /// ?1 is the device's hash, then come numbers, then texts.
    private func write(
        _ sql: String, _ device: String, _ numbers: [Int64], _ texts: String...
    ) throws {
        let statement = try connection.prepare(sql)
        try statement.bindBlob(1, Self.hash(of: device))
        for (place, number) in numbers.enumerated() { try statement.bind(Int32(2 + place), number) }
        for (place, text) in texts.enumerated() {
            try statement.bind(Int32(2 + numbers.count + place), text)
        }
        try statement.run()
    }
}
