import Events

extension BatchDigest.Columns {
    /// Of a batch that is about to be stored: nothing of it is pruned.
    init(
        _ batch: borrowing AcceptedBatch, number: Int64, app: UInt64, resource: UInt64,
        key: UInt64?
    ) {
        let span = batch.timeSpan
        self.init(
            number: number, app: app, device: batch.device, resource: resource,
            receivedAt: batch.receivedAt, clockShift: batch.clockShift,
            profile: Int64(batch.profile.rawValue), key: key, sequence: batch.sequence,
            droppedEvents: batch.droppedEvents, bodyBytes: Int64(batch.bodyBytes),
            accepted: Int64(batch.events.count), rejected: Int64(batch.rejected), pruned: 0,
            firstTime: span?.lowerBound, lastTime: span?.upperBound)
    }
}

extension BatchDigest {
    /// All that is not in the columns.
    /// - Parameters:
    ///   - names: hashes of the batch's names, by place
    ///   - attributeKeys: hashes of its attributes' keys, by place
    mutating func add(
        _ batch: borrowing AcceptedBatch, names: [UInt64], attributeKeys: [UInt64]
    ) {
        add(
            batchID: batch.batchID.utf8.span, sessions: batch.sessionsJSON?.span,
            attributeKeys: attributeKeys.isEmpty ? nil : attributeKeys)
        batch.text.span.withUnsafeBytes { text in
            for event in batch.events {
                let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
                add(
                    index: Int64(event.index), name: names[Int(event.name)], time: event.time,
                    session: event.session < 0 ? nil : Int64(event.session),
                    attributes: range.isEmpty
                        ? nil : UnsafeRawBufferPointer(rebasing: text[range]))
            }
        }
        for rejection in batch.rejectionCounts {
            add(
                rejection: rejection.code.utf8.span, events: Int64(rejection.count),
                firstIndex: Int64(rejection.firstIndex))
        }
    }
}
