import Database
import Events
import Storage

/// One emptying of the spool on its way: searches on a connection of its own, and has the writer delete
/// what it finds, a slice at a time between two groups.
struct SpoolEmptying: ~Copyable {
    /// A repeat is counted in the quarter of an hour in which it came: by a clock that is set back by no
    /// more than these while it waits.
    private static let quartersBack: Int64 = 4
    /// Milliseconds that one may be on its way to the writer, about.
    private static let underWay: Int64 = 60_000

    private let writer: StoreWriter
    private let reader: Connection
    private let masterKey: MasterKey
    private let last: Int64
    private let now: @Sendable () -> Int64
    private let shouldStop: () -> Bool
    private var newest: NewestBatches
    private var pace = SlicePace()
    private var emptied = EmptiedSpool()
    // Words that perhaps nobody uses any more.
    private var names: Set<AppWord> = []
    private var attributeKeys: Set<AppWord> = []
    private var keyRows: Set<Int64> = []
    /// Those of batches that stay for now.
    private var keptDevices: Set<Int64> = []
    /// Which they are is not known: an emptying before this one did not come to its end.
    private let wasWhole: Bool

    init(
        store: Store, upTo last: Int64, shouldStop: @escaping () -> Bool
    ) throws(StorageError) {
        let reader = try store.reader()
        let newest = try NewestBatches(reader)
        wasWhole = try reader.fact(Store.isEmptyingSpool) ?? 0 == 0
        writer = store.writer
        self.reader = reader
        masterKey = store.masterKey
        self.last = last
        now = store.now
        self.shouldStop = shouldStop
        self.newest = newest
    }

    /// All batches that are to go.
    mutating func deleteBatches() throws(StorageError) {
        var batch: Int64 = 0
        while !shouldStop() {
            let quarter = QuarterHour.number(of: now())
            let portion = try SpoolPortion(
                after: batch, upTo: last, openQuarters: openQuarters, &newest, reader)
            guard let end = portion.batches.last?.row else { return }
            names.formUnion(portion.names)
            attributeKeys.formUnion(portion.attributeKeys)
            keyRows.formUnion(portion.keyRows)
            try delete(portion, searchedIn: quarter)
            batch = end
        }
        emptied.isWhole = false
    }

    private mutating func delete(
        _ portion: SpoolPortion, searchedIn quarter: Int64
    ) throws(StorageError) {
        var rest = portion.batches[...]
        var repeats = portion.repeats[...]
        var completions = portion.completions[...]
        var seen = portion.newest
        let lastDevices = Set(portion.lastDevices.values.joined().map(\.row))
        while let first = rest.first, !shouldStop() {
            let slice = rest.prefix(count(of: rest))
            rest = rest.dropFirst(max(1, slice.count))
            // It stays, and the next slice begins after it.
            if first.isHeld {
                keptDevices.insert(first.device)
                continue
            }
            let last = slice.last?.row ?? first.row
            let counted = repeats.prefix { $0.batch <= last }
            repeats = repeats.dropFirst(counted.count)
            let completed = completions.prefix { $0.batch <= last }
            completions = completions.dropFirst(completed.count)
            // So that the writer has to look only at what comes from here on.
            try keepDevices(in: lastDevices, withBatchAfter: &seen)
            let doomed = SpoolSlice(
                batches: first.row...last, repeats: Array(counted),
                completions: Array(completed),
                sinceQuarter: quarter - Self.quartersBack, openQuarters: openQuarters,
                lastDevices: slice.flatMap { portion.lastDevices[$0.row] ?? [] }.filter {
                    !keptDevices.contains($0.row)
                },
                seen: seen, masterKey: masterKey)
            let (deleted, time) = try writer.step(
                keeping: .allButBatches(of: doomed.lastDevices)
            ) { (connection) throws(StorageError) in try doomed.delete(from: connection) }
            if deleted.batches == 0 { keptDevices.formUnion(slice.map(\.device)) }
            emptied.batches += deleted.batches
            emptied.events += deleted.events
            pace.took(time)
        }
    }

    /// Keeps devices that have got a batch again.
    /// - Parameter seen: batches up to it were looked at before, and are now
    private mutating func keepDevices(
        in devices: Set<Int64>, withBatchAfter seen: inout Int64
    ) throws(StorageError) {
        if devices.isEmpty { return }
        let rows = try reader.prepare("SELECT id, device FROM batch WHERE id > ? ORDER BY id")
        try rows.bind(1, seen)
        while try rows.step() {
            seen = rows.int(0)
            if devices.contains(rows.int(1)) { keptDevices.insert(rows.int(1)) }
        }
    }

    private var openQuarters: ClosedRange<Int64> {
        let now = now()
        return QuarterHour.number(
            of: now - Self.underWay)...QuarterHour.number(of: now) + Self.quartersBack
    }

    /// How many batches the next slice has, up to one that stays: what the pace allows, a batch at least.
    private func count(of batches: ArraySlice<SpoolPortion.Batch>) -> Int {
        var weight = 0
        var count = 0
        for batch in batches.prefix(while: { !$0.isHeld }) {
            weight += batch.weight
            if count > 0, weight > pace.weight { break }
            count += 1
        }
        return count
    }

    /// Segments of days of which rows were deleted: nobody reads them. Those of days that have other rows
    /// are not made again: what of these is not handed over yet is read as rows.
    mutating func deleteSegments() throws(StorageError) {
        for day in try StaleDay.all(reader) {
            var empty = try day.emptyTo(reader)
            // Nothing to do as long as others have their rows.
            if empty == nil, try !day.hasSegments(reader) { continue }
            var isDone = false
            while !isDone {
                if shouldStop() { return }
                isDone = try writer.perform(keepsCodes: true) {
                    [empty] (connection) throws(StorageError) in
                    try connection.transaction { () throws(StorageError) in
                        try day.deleteSegments(connection, emptyTo: empty)
                    }
                }
                // So that the writer has to look only at what comes from here on.
                if let known = empty { empty = try day.emptyTo(reader, after: known) }
            }
        }
    }

    /// Names that no event has any more, and keys of attributes.
    mutating func deleteNames() throws(StorageError) {
        if wasWhole, emptied.batches == 0 { return }
        var unused =
            wasWhole
            ? UnusedCodes(
                names: names, attributeKeys: attributeKeys, keyRows: keyRows, resources: [])
            : UnusedCodes(
                names: try UnusedCodes.all(.name, reader),
                attributeKeys: try UnusedCodes.all(.attributeKey, reader),
                keyRows: try UnusedCodes.allKeyRows(reader), resources: [])
        _ = try unused.delete(by: writer, reader, &pace, shouldStop: shouldStop)
        if shouldStop() {
            emptied.isWhole = false
            return
        }
        try writer.perform(keepsCodes: true) { (connection) throws(StorageError) in
            try connection.transaction { () throws(StorageError) in
                try connection.setFact(Store.isEmptyingSpool, 0)
            }
        }
    }

    /// What was done.
    consuming func end() -> EmptiedSpool { emptied }
}
