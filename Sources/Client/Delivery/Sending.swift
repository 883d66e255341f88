/// Sends batches that a person hands over, one after the other, and gives an account of them. As a
/// device does: what the server finds too large goes in parts, and once it wants to be left alone the
/// rest is not sent (docs/protocol.md, "What a client does").
package struct Sending {
    /// What became of the batches so far.
    package private(set) var report = SendReport()
    /// Bytes of a batch that is not made smaller for a slow network: a packet or two each way are the
    /// greater part of what it takes.
    private static let smallest = 16 << 10

    private let delivery: Delivery
    private let patience: Int64
    /// Told of each answer after which a batch is tried again, before the wait.
    package var waiting: (Answer) -> Void = { _ in }
    /// The server would refuse the others too, or is not there.
    private var isOver = false

    /// - Parameter patience: Milliseconds for which each batch is tried.
    package init(_ delivery: Delivery, patience: Int64) {
        self.delivery = delivery
        self.patience = patience
    }

    /// Sends a batch, unless an earlier one has shown that it is of no use.
    ///
    /// - Parameter name: What the account calls it.
    package mutating func send(_ bytes: [UInt8], named name: String) {
        guard !isOver else { return report.addUnsent(name) }
        deliver(WrittenBatch(bytes), named: name, until: delivery.deadline(in: patience))
    }

    private mutating func deliver(_ text: WrittenBatch, named name: String, until deadline: Int64) {
        let outcome = delivery.deliver(
            text, until: deadline, mayShrink: text.bytes.count > Self.smallest,
            waiting: waiting)
        switch outcome.step {
        case .split:
            if deliverHalves(of: text, named: name, until: deadline) { return }
        case .retry(let wait, smaller: true) where !delivery.isPast(deadline - wait):
            delivery.wait(wait)
            if deliverHalves(of: text, named: name, until: deadline) { return }
            let outcome = delivery.deliver(text, until: deadline, waiting: waiting)
            isOver = outcome.step.leavesServerAlone
            return report.add(name, outcome)
        default: isOver = outcome.step.leavesServerAlone
        }
        report.add(name, outcome, isOneEvent: outcome.step == .split && text.eventCount == 1)
    }

    /// False where the batch has no halves.
    private mutating func deliverHalves(
        of text: WrittenBatch, named name: String, until deadline: Int64
    ) -> Bool {
        guard let halves = text.halves() else { return false }
        for (suffix, half) in [(".1", halves.first), (".2", halves.second)] {
            guard !isOver else {
                report.addUnsent(name + suffix)
                continue
            }
            deliver(WrittenBatch(half), named: name + suffix, until: deadline)
        }
        return true
    }
}

extension Delivery.Step {
    /// Whether other batches have to wait as well.
    fileprivate var leavesServerAlone: Bool {
        switch self {
        case .keep, .retry: true
        case .done, .drop, .split: false
        }
    }
}
