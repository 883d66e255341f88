import Database
import Events
import Storage

/// One prune on its way: searches on a connection of its own, and has the writer delete what it finds,
/// a slice at a time between two groups.
struct PruneRun {
    /// Events of one device that are found before any of them is deleted: two megabytes.
    private static let eventsAtOnce = 1 << 17
    /// Events of many devices that are found before they are deleted.
    private static let eventsToFlush = 4_096
    /// Devices of which it is asked together which sessions stay.
    private static let devicesAtOnce = 256

    private let writer: StoreWriter
    private let reader: Connection
    private let apps: [App]
    private let now: Int64
    private let sparing: PruneSparing?
    private let shouldStop: () -> Bool
    /// It is not known which sessions stay.
    private var isAtLoss = false
    private(set) var pruned: Pruned
    private var pace = SlicePace()
    /// Found, and not deleted yet; batch by batch.
    private var found: [PruneSearch.Doomed] = []
    /// Batches that were left alone.
    private var damaged: Set<Int64> = []
    /// Names of the events that were found.
    private var names: Set<AppWord> = []

    /// - Parameter now: a session that is open then has not ended, milliseconds; nil: now
    init(
        store: Store, limit: Int64, now: Int64?, sparing: PruneSparing?,
        shouldStop: @escaping () -> Bool
    ) throws(StorageError) {
        writer = store.writer
        reader = try store.reader()
        apps = store.registry.snapshot.apps
        self.now = now ?? store.now()
        self.sparing = sparing
        self.shouldStop = shouldStop
        pruned = Pruned(limit: limit)
    }

    /// All that are to go.
    mutating func deleteEvents() throws(StorageError) {
        var search = try PruneSearch(limit: pruned.limit, now: now, reader)
        for app in apps {
            var rest = try search.devices(of: app.id)[...]
            while !rest.isEmpty {
                let portion = rest.prefix(sparing == nil ? rest.count : Self.devicesAtOnce)
                rest = rest.dropFirst(portion.count)
                guard let spared = try spared(of: portion, app, &search) else {
                    isAtLoss = true
                    return
                }
                for device in portion {
                    let isDone = try deleteEvents(
                        of: device, app, sparing: spared[device] ?? "[]", &search)
                    if !isDone { return }
                }
            }
        }
        try flush()
    }

    /// - Returns: false where it is to stop
    private mutating func deleteEvents(
        of device: Int64, _ app: App, sparing spared: String, _ search: inout PruneSearch
    ) throws(StorageError) -> Bool {
        var isDone = false
        while !isDone {
            if shouldStop() { return false }
            let before = pruned.events
            var itsNames: Set<Int64> = []
            let more = try search.events(
                of: device, timeout: app.sessionTimeout, sparing: spared,
                maxCount: Self.eventsAtOnce, names: &itsNames)
            for name in itsNames { names.insert(AppWord(app: app.id, word: name)) }
            isDone = more.count < Self.eventsAtOnce
            found += more
            if !isDone || found.count >= Self.eventsToFlush { try flush() }
            // Nothing but damaged batches, which would be found for ever.
            if !isDone, pruned.events == before { break }
        }
        return true
    }

    /// The sessions of devices that stay although they have ended here, by device, as JSON arrays; nil where
    /// that is not known.
    private func spared(
        of devices: ArraySlice<Int64>, _ app: App, _ search: inout PruneSearch
    ) throws(StorageError) -> [Int64: String]? {
        guard let sparing else { return [:] }
        var ended: [Int64: [EndedSession]] = [:]
        for device in devices {
            if shouldStop() { return nil }
            ended[device] = try search.sessions(of: device, timeout: app.sessionTimeout)
        }
        let all = ended.values.joined()
        if all.isEmpty { return [:] }
        guard let spared = sparing.sessions(app, Array(all)) else { return nil }
        return ended.mapValues { sessions in
            "[" + sessions.filter(spared.contains).map(\.json).joined(separator: ",") + "]"
        }
    }

    /// Names that no event has any more, and keys of attributes.
    /// - Parameter all: not only those of the events that were found
    mutating func deleteNames(all: Bool) throws(StorageError) {
        if !all, pruned.events == 0 { return }
        var unused = UnusedCodes(
            names: all ? try UnusedCodes.all(.name, reader) : names,
            attributeKeys: try UnusedCodes.all(.attributeKey, reader),
            keyRows: try UnusedCodes.allKeyRows(reader), resources: [])
        pruned.names += try unused.delete(
            by: writer, reader, &pace, shouldStop: shouldStop
        ).words
    }

    /// What it did.
    mutating func end(freed: Int64) -> Pruned {
        pruned.freed = freed
        pruned.isWhole = !isAtLoss && !shouldStop()
        return pruned
    }

    private mutating func flush() throws(StorageError) {
        var rest = found[...]
        while !rest.isEmpty, !shouldStop() {
            let slice = rest.prefix(pace.count(of: rest))
            rest = rest.dropFirst(slice.count)
            let events = slice.map(\.event)
            let (deleted, time) = try writer.step(keeping: .all) {
                (connection) throws(StorageError) in
                try PruneSlice(connection: connection).delete(events[...])
            }
            pruned.events += deleted.events
            damaged.formUnion(deleted.damaged)
            pruned.damaged = Int64(damaged.count)
            pace.took(time)
        }
        found.removeAll(keepingCapacity: true)
    }
}

/// What a prune did.
package struct Pruned: Sendable, Equatable {
    /// Events before this moment were to be deleted, milliseconds since 1970-01-01T00:00:00Z.
    package let limit: Int64
    /// Events that were deleted.
    package var events: Int64 = 0
    /// Batches that were left alone with all their events, since they are not what was written.
    package var damaged: Int64 = 0
    /// Names that no event has any more, and keys of attributes.
    package var names: Int64 = 0
    /// Bytes that the file is shorter.
    package var freed: Int64 = 0
    /// False where it was stopped before its end.
    package var isWhole = true
}
