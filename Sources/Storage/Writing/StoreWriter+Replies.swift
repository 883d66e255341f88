import Synchronization

/// How a group's batches are answered.
extension StoreWriter {
    /// A function as a value of its own: one that is read out of a lock by itself is wrapped anew each
    /// time.
    struct Surrounding {
        let call: @Sendable (() -> Void) -> Void
    }

    /// Has the replies of each group given within `surrounding`, which calls what it is given, once and at
    /// once: for who is woken by them.
    package func reply(within surrounding: @escaping @Sendable (() -> Void) -> Void) {
        self.surrounding.withLock { $0 = Surrounding(call: surrounding) }
    }

    /// Tells each batch of a group what became of it.
    func reply(to result: GroupOutcome) {
        let replies = {
            for (pending, outcome) in zip(result.group, result.batches) { pending.reply(outcome) }
        }
        guard let surrounding = surrounding.withLock({ $0 }) else { return replies() }
        surrounding.call(replies)
    }
}
