import Events

extension SegmentBuilder {
    /// A batch that was just stored.
    /// - Parameters:
    ///   - number: its row
    ///   - names: rows of its names, by place
    mutating func add(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64, resource: Int64,
        names: [Int64]
    ) {
        begin(batch: number, device: device, resource: resource, arrival: batch.receivedAt)
        let sessions = Self.hashes(of: batch.sessionsJSON ?? [])
        let known = zip(names, batch.names).map { SegmentName(row: $0, text: $1) }
        var places = SubjectPlaces()
        for (place, text) in batch.attributeKeys.enumerated() {
            if let key = StandardAttribute.allCases.first(where: { $0.key == text }) {
                places.set(key, place)
            }
        }
        for event in batch.events {
            let name = known[Int(event.name)]
            let start = Int(event.attributes.lowerBound)
            var found = SubjectPlaces.Found()
            if name.key != nil, !event.attributes.isEmpty {
                let range = start..<Int(event.attributes.upperBound)
                found = places.find(name, in: batch.text.span.extracting(range))
            }
            add(
                name, time: event.time,
                session: event.session < 0 ? nil : sessions[Int(event.session)],
                subject: found.subject.map {
                    batch.text[start + $0.lowerBound..<start + $0.upperBound]
                },
                amount: found.amount)
        }
    }

    /// Of the elements of `batch.sessions`, by place.
    static func hashes(of sessions: [UInt8]) -> [UInt64] {
        if sessions.isEmpty { return [] }
        let ranges = ArrayElements.ranges(in: sessions.span, .bracketed) ?? []
        return ranges.map { ChecksumStream.hash(sessions.span.extracting($0)) }
    }
}
