import Columns
import Database
import Events

extension SegmentBuilder {
    /// A batch that was just stored.
    /// - Parameters:
    ///   - number: its row
    ///   - names: of its names, by place
    mutating func add(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64, resource: Int64,
        names: [SegmentName]
    ) {
        begin(batch: number, device: device, resource: resource, arrival: batch.receivedAt)
        let sessions = Self.hashes(of: batch.sessionsJSON ?? [])
        var places = SubjectPlaces()
        for (place, text) in batch.attributeKeys.enumerated() {
            if let key = StandardAttribute.allCases.first(where: { $0.key == text }) {
                places.set(key, place)
            }
        }
        let numbers = names.map { place(of: $0) }
        for event in batch.events {
            let name = names[Int(event.name)]
            let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
            let text = batch.text.span.extracting(range)
            var found = SubjectPlaces.Found()
            if name.key != nil { found = places.find(name, in: text) }
            let subject = text.extracting(found.subject ?? 0..<0)
            add(
                numbers[Int(event.name)], time: event.time,
                session: event.session < 0 ? nil : sessions[Int(event.session)],
                subject: subject.isEmpty ? nil : subject, amount: found.amount)
        }
    }

    /// Of the elements of `batch.sessions`, by place.
    static func hashes(of sessions: [UInt8]) -> [UInt64] {
        if sessions.isEmpty { return [] }
        let ranges = ArrayElements.ranges(in: sessions.span, .bracketed) ?? []
        return ranges.map { ChecksumStream.hash(sessions.span.extracting($0)) }
    }
}
