extension DeviceQueue {
    /// What became of a batch of the queue.
    package enum Fate: Sendable, Equatable {
        /// Stored by the server, or dropped because it will never be: no longer in the queue.
        case gone(Delivery.Outcome)
        /// Now two batches in its place.
        case split(Delivery.Outcome)
        /// Still in the queue, and with it everything behind it.
        case stays(Delivery.Outcome)
        /// Its file was not what had been written; set aside.
        case damaged
    }

    /// Batches below this are not made smaller for a slow network: a packet or two each way are the
    /// greater part of what they take.
    static let smallest = 16 << 10

    /// Posts what is in the queue, in order, until it is empty, the server wants to be left alone, or
    /// time is up. A batch that waits holds back those behind it: order is kept.
    ///
    /// - Parameter each: Told of each batch.
    /// - Throws: `QueueFailure` when a file cannot be read or removed; the batch stays.
    package func drain(
        by delivery: Delivery, until deadline: Int64, each: (Entry, Fate) -> Void
    ) throws(QueueFailure) {
        while let entry = entries.first, !delivery.isPast(deadline) {
            guard let bytes = try text(of: entry) else {
                each(entry, .damaged)
                continue
            }
            let text = BatchText(bytes)
            let halves = bytes.count > Self.smallest ? text.halves() : nil
            let outcome = delivery.deliver(text, until: deadline, mayShrink: halves != nil)
            switch outcome.step {
            case .done, .drop:
                try remove(entry)
                each(entry, .gone(outcome))
            case .split:
                if try split(entry, text.halves()) {
                    each(entry, .split(outcome))
                } else {
                    // One event that is too large alone: nothing will ever take it.
                    try remove(entry)
                    each(entry, .gone(outcome))
                }
            case .retry(let wait, smaller: true):
                guard try split(entry, halves) else {
                    each(entry, .stays(outcome))
                    return
                }
                each(entry, .split(outcome))
                delivery.wait(wait)
            case .keep, .retry:
                each(entry, .stays(outcome))
                return
            }
        }
    }

    private func split(
        _ entry: Entry, _ halves: (first: [UInt8], second: [UInt8])?
    ) throws(QueueFailure) -> Bool {
        guard let halves else { return false }
        return try replace(entry, with: halves.first, and: halves.second)
    }
}
