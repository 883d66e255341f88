/// The folder of an installation: segments of events, and the ledger that accounts for them. Used by one
/// thread. Several processes may have one folder: each appends to a segment of its own, and a step holds
/// the folder's lock and reads what another has made of the ledger.
///
/// docs/decisions/0050-client-journal.md says what each crash leaves.
package final class Journal<Folder: Disk> {
    static var ledgerName: String { "ledger" }

    let disk: Folder
    /// Bytes of lines that wait and are not frozen.
    let limit: Int
    /// The resource of what this process records, as JSON.
    let resource: [UInt8]
    /// Makes ids of installations and batches.
    let newID: () -> String
    package internal(set) var ledger: Ledger
    /// Those with something that waits or is pinned, and the current one; in order.
    var segments: [Segment] = []
    /// The numbers of all segments that the folder had when its lock was taken, in order.
    var present: [Int64] = []
    /// The segment that is appended to.
    var current: (number: Int64, file: Folder.Handle)?
    /// The text of the ledger as it was last read or written: another one is another process's.
    private var text: [UInt8] = []
    /// Segments that this process has recorded: its own clock has made their times.
    var owned: Set<Int64> = []
    /// The highest number of a segment that this process has seen.
    var highest: Int64 = 0
    /// Events that could not be written, to be told by the next line that can.
    package internal(set) var unwritten: Int64 = 0

    /// Opens a folder, made if it is not there, and reads what is in it.
    package init(
        _ disk: Folder, limit: Int, resource: [UInt8], newID: @escaping () -> String
    ) throws(DiskFailure) {
        self.disk = disk
        self.limit = limit
        self.resource = resource
        self.newID = newID
        ledger = Ledger(installation: newID())
        try disk.makeFolder()
        let lock = try disk.lockFolder()
        defer { disk.close(lock) }
        let text = try disk.content(Self.ledgerName)
        present = try numbers()
        if let text, let found = Ledger(text: text) {
            ledger = found
            self.text = text
            try scan()
        } else {
            try begin()
        }
        try checkFrozen()
    }

    deinit { closeCurrent() }

    /// What waits and is not frozen, in the segments that are not another process's.
    package var waiting: Segment.Waiting {
        segments.reduce(into: Segment.Waiting()) { sum, segment in
            if !segment.isForeign { sum.add(segment.waiting) }
        }
    }

    /// Events that wait, frozen ones included.
    package var waitingEvents: Int64 { waiting.events + ledger.pinnedEvents }

    /// Whether there is something to tell the server.
    package var hasSomething: Bool {
        ledger.frozen != nil || ledger.undone != nil || ledger.unreported > 0 || unwritten > 0
            || waiting.events + waiting.drops > 0
    }

    // MARK: Steps

    /// One atomic step: what `change` makes of the ledger is on the disk when this returns. Where it
    /// throws, nothing has changed, or the next step finds that it has.
    package func step(
        _ change: (inout Ledger) throws(DiskFailure) -> Void
    ) throws(DiskFailure) {
        try disk.makeFolder()
        let lock = try disk.lockFolder()
        defer { disk.close(lock) }
        try refresh()
        var next = ledger
        try change(&next)
        guard next != ledger else { return }
        // Counted before the step: a segment that could not be read after it would seem empty.
        var counted = segments
        for index in counted.indices {
            let number = counted[index].number
            guard let cursor = next.cursor(of: number), cursor != ledger.cursor(of: number) else {
                continue
            }
            counted[index].count(try content(number) ?? [], from: cursor)
        }
        try write(next)
        segments = counted
        if let current, current.number < ledger.floor { closeCurrent() }
        removeUsed()
    }

    /// Takes over what another process has made of the ledger, or makes up for files that were deleted.
    func refresh() throws(DiskFailure) {
        let text = try disk.content(Self.ledgerName)
        present = try numbers()
        guard text != self.text, let text, let found = Ledger(text: text) else {
            return try loseMissing(isLedgerWhole: text == self.text)
        }
        let known = (ledger, segments, self.text)
        ledger = found
        self.text = text
        if let current, current.number < found.floor { closeCurrent() }
        do throws(DiskFailure) {
            try scan()
        } catch {
            // Half of the segments would be taken for all of them: it is read anew the next time.
            (ledger, segments, self.text) = known
            throw error
        }
        // What this process appended is used up by another: deleted, as the user wants it.
        if let current, ledger.cursor(of: current.number) != known.0.cursor(of: current.number) {
            closeCurrent()
            removeUsed()
        }
    }

    func write(_ changed: Ledger) throws(DiskFailure) {
        var next = changed
        next.serial += 1
        // All that are there: another process may have begun one since they were read.
        next.floor = max(next.floor, present.first ?? max(highest, next.highestSegment) + 1)
        next.cursors.removeAll { cursor in
            cursor.segment < next.floor || !present.contains(cursor.segment)
        }
        let text = next.text
        try disk.replace(Self.ledgerName, with: text)
        self.text = text
        ledger = next
    }

    /// The right to upload, which one process has at a time; nil where another has it, or there is no
    /// folder. It is given back with `unlock`.
    func lockUploads() -> Folder.Handle? {
        do throws(DiskFailure) { try disk.makeFolder() } catch { return nil }
        return disk.lock("uploads")
    }

    func unlock(_ lock: Folder.Handle) { disk.close(lock) }
}
