/// The account of an installation: what of the segments is used up, what became of it, which batch is
/// on its way, and when the next attempt may be. It is one small file that is replaced whole, so that each
/// method that changes it is one atomic step (docs/decisions/0050-client-journal.md).
///
/// Events that wait are in no count here: they are the lines of the segments after their cursors. So
/// appended = accepted + rejected + dropped + deleted + waiting holds whatever a crash leaves.
package struct Ledger: Sendable, Equatable {
    /// What became of events over the installation's life.
    package struct Counts: Sendable, Equatable {
        package var accepted: Int64 = 0
        package var rejected: Int64 = 0
        package var dropped: Int64 = 0
        package var deleted: Int64 = 0
    }

    /// The batch on its way. What it says never changes.
    package struct Frozen: Sendable, Equatable {
        package var segment: Int64
        package var range: Range<Int>
        package var events: Int64
        package var batchID: String
        package var sequence: Int64
        /// Its `dropped_events`.
        package var dropped: Int64
        /// Answers in a row, up to now, that are a proxy's 413 although it may be stored.
        package var tooLarge: Int64 = 0
    }

    /// What a 413 has undone: it waits in front, is not dropped by the bound, and goes in smaller batches.
    package struct Undone: Sendable, Equatable {
        package var segment: Int64
        package var range: Range<Int>
        package var events: Int64
        /// Events of the next batch at most.
        package var cap: Int64
    }

    /// Where what waits in a segment begins.
    package struct Cursor: Sendable, Equatable {
        package var segment: Int64
        package var offset: Int
    }

    /// `app.installation.id`.
    package var installation: String
    /// Grows with each step; another process's step shows by it.
    package var serial: Int64 = 0
    /// Of the next batch.
    package var nextSequence: Int64 = 1
    package var counts = Counts()
    /// Dropped events of which no batch has told yet.
    package var unreported: Int64 = 0
    package var isEnabled = true
    /// Segments below are used up.
    package var floor: Int64 = 1
    package var cursors: [Cursor] = []
    package var frozen: Frozen?
    package var undone: Undone?
    package var wait = Wait.none
    /// Contents that were completed, the last 1,000, by a hash of their ids.
    package var contents: [UInt64] = []
    /// A hash of the id that was forgotten last, 0 for none: a group that still has it is told of the new
    /// one.
    package var forgotten: UInt64 = 0

    package init(installation: String) { self.installation = installation }

    /// Where what waits in a segment begins; nil for its first line.
    package func cursor(of segment: Int64) -> Int? {
        cursors.first { $0.segment == segment }?.offset
    }

    /// Events of the batch on its way and of what was undone.
    package var pinnedEvents: Int64 { (frozen?.events ?? 0) + (undone?.events ?? 0) }

    /// The highest number of a segment that the ledger speaks of. A new one is above it: under a number
    /// that was used its first lines would count as used up.
    package var highestSegment: Int64 {
        let named = cursors.map(\.segment) + [frozen?.segment, undone?.segment].compactMap { $0 }
        return max(named.max() ?? 0, floor - 1)
    }

    /// Segments that must stay although their cursors are at their ends.
    package func pins(_ segment: Int64) -> Bool {
        frozen?.segment == segment || undone?.segment == segment
    }
}

// MARK: Steps

extension Ledger {
    private mutating func advance(_ segment: Int64, to offset: Int) {
        if let index = cursors.firstIndex(where: { $0.segment == segment }) {
            cursors[index].offset = offset
        } else {
            cursors.append(Cursor(segment: segment, offset: offset))
        }
    }

    /// Counts events that are gone.
    package mutating func lose(_ events: Int64) {
        counts.dropped += events
        unreported += events
    }

    /// Makes a batch of what was cut, which may be only a count.
    package mutating func freeze(_ cut: Cut, batchID: String) {
        let events = Int64(cut.events.count)
        use(cut, events: events)
        frozen = Frozen(
            segment: cut.segment, range: cut.start..<cut.end, events: events, batchID: batchID,
            sequence: nextSequence, dropped: unreported)
        nextSequence += 1
        unreported = 0
    }

    /// Steps over lines without an event: what they say is counted.
    package mutating func skip(_ cut: Cut) { use(cut, events: 0) }

    private mutating func use(_ cut: Cut, events: Int64) {
        guard cut.isUndone, var rest = undone else {
            lose(cut.drops)
            return advance(cut.segment, to: cut.end)
        }
        rest.events = max(0, rest.events - events)
        rest.range = min(cut.end, rest.range.upperBound)..<rest.range.upperBound
        undone = rest
        // What was an event and is not readable any more.
        if rest.range.isEmpty || cut.lines.isEmpty { loseUndone() }
    }

    /// What was undone cannot be read any more.
    package mutating func loseUndone() {
        lose(max(0, undone?.events ?? 0))
        undone = nil
    }

    /// The server has the batch.
    ///
    /// - Parameter rejected: How many of its events it does not store.
    package mutating func settle(rejected: Int64) {
        guard let batch = frozen else { return }
        let rejected = min(max(rejected, 0), batch.events)
        counts.rejected += rejected
        counts.accepted += batch.events - rejected
        frozen = nil
        wait = .none
    }

    /// The batch is refused for good, or cannot be read any more. The next sequence stays as it is.
    package mutating func refuse() {
        guard let batch = frozen else { return }
        lose(batch.events)
        unreported += batch.dropped
        frozen = nil
        wait = .none
    }

    /// The batch is too large: its events wait again, in front. A single event is dropped, unless it is a
    /// proxy that finds it so: then this is not called.
    package mutating func undo() {
        guard let batch = frozen else { return }
        nextSequence = batch.sequence
        guard batch.events > 1 else { return refuse() }
        unreported += batch.dropped
        frozen = nil
        var whole = Undone(
            segment: batch.segment, range: batch.range, events: batch.events,
            cap: batch.events / 2)
        if let rest = undone {
            whole.events += rest.events
            whole.range =
                batch.range.lowerBound..<max(rest.range.upperBound, batch.range.upperBound)
        }
        undone = whole
    }

    /// Drops the oldest of what waits, to keep the bound.
    package mutating func drop(_ cut: Cut) {
        lose(Int64(cut.events.count))
        use(cut, events: 0)
    }

    /// Deletes what waits, as the user wants it.
    ///
    /// - Parameters:
    ///   - waiting: How many events that are, pinned ones included.
    ///   - drops: What lines say was dropped, which is counted and not told any more.
    ///   - ends: Where each segment that there is ends now.
    package mutating func wipe(waiting: Int64, drops: Int64, ends: [Cursor]) {
        counts.deleted += waiting
        counts.dropped += drops
        unreported = 0
        frozen = nil
        undone = nil
        cursors = ends
    }

    /// The same, and another device from now on.
    package mutating func forget(
        waiting: Int64, drops: Int64, ends: [Cursor], installation: String
    ) {
        wipe(waiting: waiting, drops: drops, ends: ends)
        forgotten = Self.hash(self.installation)
        join(installation)
        contents = []
    }

    /// Takes another id.
    package mutating func join(_ installation: String) {
        self.installation = installation
        nextSequence = 1
    }
}
