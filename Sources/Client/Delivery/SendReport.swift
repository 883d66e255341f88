import JSON

/// A readable account of what became of batches that were sent.
package struct SendReport: Sendable {
    /// One batch.
    package struct Item: Sendable {
        /// What the batch is called: its file's name.
        package var name: String
        /// How it went.
        package var outcome: Delivery.Outcome
        /// Whether it has one event, so that it cannot be split.
        package var isOneEvent = false

        /// An item of its parts.
        package init(name: String, outcome: Delivery.Outcome, isOneEvent: Bool = false) {
            self.name = name
            self.outcome = outcome
            self.isOneEvent = isOneEvent
        }
    }

    /// Batches in the order in which they were added.
    package private(set) var items: [Item] = []

    /// Batches that were not sent, since those before them showed that it is of no use.
    package private(set) var unsent: [String] = []

    /// An account of nothing yet.
    package init() {}

    /// Adds a batch.
    package mutating func add(
        _ name: String, _ outcome: Delivery.Outcome, isOneEvent: Bool = false
    ) {
        items.append(Item(name: name, outcome: outcome, isOneEvent: isOneEvent))
    }

    /// Adds a batch that was not sent; all that come after it are not, either.
    package mutating func addUnsent(_ name: String) { unsent.append(name) }

    /// Whether every batch was taken, perhaps without some of its events.
    package var allTaken: Bool {
        unsent.isEmpty && items.allSatisfy { $0.outcome.step == .done }
    }

    /// Whether the server was away, or in such a state that it may take a batch in a moment.
    package var isUnavailable: Bool {
        items.contains { item in if case .retry = item.outcome.step { true } else { false } }
    }

    /// Events that were accepted, in all batches together.
    package var accepted: Int64 { receipts.reduce(0) { $0 &+ $1.accepted } }

    /// Events that were rejected, in all batches together.
    package var rejected: Int64 { receipts.reduce(0) { $0 &+ $1.rejected } }

    private var receipts: [Answer.Receipt] {
        items.compactMap { item in
            guard case .stored(let receipt) = item.outcome.answer else { return nil }
            return receipt
        }
    }

    /// For people: a line for each batch and one, set in, for each rejected event that the server named.
    /// Control characters are shown as `\xNN`, whether the server or a file has them.
    package var text: String {
        var out = ""
        for item in items {
            out += "\(Printable.text(item.name)): \(Printable.text(Self.summary(item)))\n"
            guard case .stored(let receipt) = item.outcome.answer else { continue }
            for event in receipt.verdicts {
                let line = "event \(event.index): \(event.code): \(event.detail)"
                out += "  \(Printable.text(line))\n"
            }
            let unnamed = receipt.rejected - Int64(receipt.verdicts.count)
            if unnamed > 0, !receipt.isDuplicate { out += "  and \(unnamed) more\n" }
        }
        for name in unsent { out += "\(Printable.text(name)): not sent\n" }
        return out
    }

    /// For programs: `{"batches": [{"file", "outcome", "status", "attempts", …}], "accepted",
    /// "rejected"}`. `outcome` is `accepted`, `dropped`, `kept`, `too-large`, `failed` or
    /// `unsent`.
    package var json: [UInt8] {
        var writer = Writer()
        writer.beginObject()
        writer.name("batches")
        writer.beginArray()
        for item in items { Self.write(item, to: &writer) }
        for name in unsent {
            writer.beginObject()
            writer.member("file", name)
            writer.member("outcome", "unsent")
            writer.member("attempts", 0)
            writer.endObject()
        }
        writer.endArray()
        writer.member("accepted", accepted)
        writer.member("rejected", rejected)
        writer.endObject()
        return writer.take()
    }

    private static func summary(_ item: Item) -> String {
        let outcome = item.outcome
        let advice =
            switch outcome.step {
            case .done: ""
            case .drop: "; the server will never take it as it is"
            case .keep: "; keep it and try again in an hour or more"
            case .split where item.isOneEvent:
                "; its one event is itself too large: make that smaller"
            case .split: "; send it as several smaller batches"
            case .retry: "; try again later"
            }
        switch outcome.answer {
        case .stored(let receipt):
            let kind =
                receipt.isDryRun ? "200 (dry run)" : receipt.isDuplicate ? "200 (repeat)" : "200"
            return "\(kind), \(receipt.accepted) accepted, \(receipt.rejected) rejected"
        case .refused(let refusal):
            // It continues after the server's sentence.
            let said =
                refusal.detail.hasSuffix(".") ? refusal.detail.dropLast() : refusal.detail[...]
            let detail = said.isEmpty ? "" : ": \(said)"
            return "\(refusal.code.status) \(refusal.code.name)\(detail)\(advice)"
        case .unusable(let unusable):
            // The reason may end with the same advice.
            if case .retry = outcome.step, unusable.reason.hasSuffix("; try again") {
                return unusable.reason + " later"
            }
            return unusable.reason + advice
        }
    }

    private static func write(_ item: Item, to writer: inout Writer) {
        writer.beginObject()
        writer.member("file", item.name)
        writer.member("outcome", name(of: item.outcome.step))
        switch item.outcome.answer {
        case .stored(let receipt):
            writer.member("status", 200)
            writer.name("batch_id")
            if let id = receipt.batchID { writer.string(id) } else { writer.null() }
            writer.member("duplicate", receipt.isDuplicate)
            if receipt.isDryRun { writer.member("dry_run", true) }
            writer.member("accepted", receipt.accepted)
            writer.member("rejected", receipt.rejected)
            if !receipt.verdicts.isEmpty {
                writer.name("rejections")
                writer.beginArray()
                for event in receipt.verdicts {
                    writer.beginObject()
                    writer.member("index", event.index)
                    writer.member("code", event.code)
                    writer.member("detail", event.detail)
                    writer.endObject()
                }
                writer.endArray()
            }
        case .refused(let refusal):
            writer.member("status", refusal.code.status)
            writer.member("code", refusal.code.name)
            writer.member("detail", refusal.detail)
        case .unusable(let unusable):
            writer.name("status")
            if let status = unusable.status { writer.integer(Int64(status)) } else { writer.null() }
            writer.member("detail", unusable.reason)
        }
        writer.member("attempts", item.outcome.attempts)
        writer.endObject()
    }

    private static func name(of step: Delivery.Step) -> String {
        switch step {
        case .done: "accepted"
        case .drop: "dropped"
        case .keep: "kept"
        case .split: "too-large"
        case .retry: "failed"
        }
    }
}
