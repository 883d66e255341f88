import Events

/// Collects the events that are stored and makes segments of them, in the writer's transactions: so
/// that a report sees each event once, in a segment or as a row behind the last one.
final class Segmenter {
    /// Events of an app that make a segment, or one for each of their days.
    private let limit: Int
    private let connection: Connection
    private let table: SegmentTable
    private let merge: SegmentMerge
    private let removals: Statement
    private var pending: [Int64: SegmentBuilder] = [:]
    private var known: [Int64: SegmentName] = [:]
    private var names: [SegmentName] = []
    /// Of all apps.
    private var count = 0
    /// Apps whose pending events stand in segments if the transaction is committed.
    private var written: [Int64] = []
    /// The fact `tail_removals` as it was when what is pending was read; nil: nothing is known.
    private var seen: Int64?

    /// Apps with few events each would else hold as much as they are many.
    private static let limitsOfAllApps = 4

    init(_ connection: Connection, limit: Int) throws(StorageError) {
        self.connection = connection
        self.limit = limit
        table = try SegmentTable(connection)
        merge = try SegmentMerge(connection)
        removals = try connection.prepare(
            "SELECT value FROM meta WHERE name = '\(SegmentTable.tailRemovals)'")
    }

    /// Before the first batch of a transaction: reads what is in no segment yet, where that is not known.
    func begin() throws(StorageError) {
        let now = try self.now()
        if seen == now { return }
        forget()
        for app in try connection.integers("SELECT id FROM app ORDER BY id") {
            var rows = try SegmentRows(connection)
            var builder = SegmentBuilder()
            var last = try SegmentTable.lastBatch(of: app, connection)
            while try rows.read(of: app, behind: last, most: limit, into: &builder) {
                last = builder.lastBatch ?? last
                try write(builder, of: app)
                builder.removeAll()
            }
            count += builder.count
            pending[app] = builder
        }
        seen = now
    }

    /// A batch that was just stored.
    /// - Parameter names: rows of its names, by place
    func add(
        _ batch: borrowing AcceptedBatch, number: Int64, device: Int64, resource: Int64,
        names: [Int64]
    ) {
        count += batch.events.count
        self.names.removeAll(keepingCapacity: true)
        for (row, text) in zip(names, batch.names) { self.names.append(name(row, text)) }
        pending[batch.app, default: SegmentBuilder()].add(
            batch, number: number, device: device, resource: resource, names: self.names)
    }

    private func name(_ row: Int64, _ text: String) -> SegmentName {
        if let name = known[row] { return name }
        let name = SegmentName(row: row, text: text)
        if known.count == WordTable.capacity { known.removeAll() }
        known[row] = name
        return name
    }

    /// Before the end of a transaction.
    func finish() throws(StorageError) {
        for (app, builder) in pending where builder.count >= limit {
            try write(builder, of: app)
            written.append(app)
        }
        guard written.isEmpty, count >= Self.limitsOfAllApps * limit else { return }
        if let (app, builder) = pending.max(by: { $0.value.count < $1.value.count }) {
            try write(builder, of: app)
            written.append(app)
        }
    }

    /// The transaction is committed.
    func committed() {
        for app in written {
            count -= pending[app]?.count ?? 0
            pending[app]?.removeAll()
        }
        written = []
    }

    /// After a rollback, or when somebody else has changed the rows.
    func forget() {
        pending = [:]
        known = [:]
        written = []
        count = 0
        seen = nil
    }

    private func write(_ builder: borrowing SegmentBuilder, of app: Int64) throws(StorageError) {
        guard let last = builder.lastBatch else { return }
        let segments = builder.build()
        try table.insert(segments, of: app)
        try table.setLastBatch(last, of: app)
        for segment in segments { try merge.run(of: app, day: segment.day, into: table) }
    }

    private func now() throws(StorageError) -> Int64 {
        defer { removals.reset() }
        return try removals.step() ? removals.int(0) : 0
    }
}
