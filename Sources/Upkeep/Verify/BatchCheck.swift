import Database
import Events
import Storage

/// Whether each batch and its events are what was written, and whether what is counted of them is
/// what can be counted.
final class BatchCheck {
    /// Batches of one read transaction: some hundredths of a second, in which the WAL cannot be emptied.
    private static let slice = 500

    private(set) var batches = 0
    private(set) var events = 0
    /// By key's row id: batches, and the latest arrival, of batches up to `last`.
    private(set) var uses: [Int64: (batches: Int64, last: Int64)] = [:]
    /// `key_use` at the moment at which `last` was the newest batch.
    private(set) var counted: [Int64: (batches: Int64, last: Int64)] = [:]

    private let connection: Connection
    private let content: StoredContent
    private let names: NameCheck
    private let numbers: Statement
    private let strays: Statement
    private let list: Statement
    private var last: Int64 = 0

    init(_ connection: Connection) throws(StorageError) {
        self.connection = connection
        content = try StoredContent(connection)
        names = try NameCheck(connection)
        numbers = try connection.prepare(
            "SELECT id FROM batch WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT \(Self.slice)")
        list = try connection.prepare("SELECT length(list) FROM fingerprint WHERE batch = ?")
        strays = try connection.prepare(
            "SELECT count(*) FROM event WHERE id > ?1 AND id < ?2")
    }

    func run(
        _ findings: inout Findings, progress: (Verification.Progress) -> Void
    ) throws(StorageError) {
        try connection.snapshot { () throws(StorageError) in
            last = try connection.integer("SELECT max(id) FROM batch") ?? 0
            counted = try connection.keyUse()
            try names.begin()
        }
        var batch: Int64 = 0
        var isDone = false
        while !isDone {
            try connection.snapshot { () throws(StorageError) in
                content.forget()
                let erasing = try UnfinishedErasures.devices(connection)
                let slice = try numbers(after: batch)
                for number in slice {
                    try look(for: batch, number, &findings)
                    try check(number, erasing, &findings)
                    batch = number
                }
                isDone = slice.count < Self.slice
                if isDone, last > 0 { try look(for: batch, last + 1, &findings) }
            }
            progress(.init(done: Int(batch), total: Int(last)))
        }
        try connection.snapshot { () throws(StorageError) in try names.end(&findings) }
    }

    private func numbers(after batch: Int64) throws(StorageError) -> [Int64] {
        try numbers.bind(1, batch)
        try numbers.bind(2, last)
        defer { numbers.reset() }
        var slice: [Int64] = []
        while try numbers.step() { slice.append(numbers.int(0)) }
        return slice
    }

    /// Events between two batches belong to none.
    private func look(
        for before: Int64, _ after: Int64, _ findings: inout Findings
    ) throws(StorageError) {
        try strays.bind(1, EventID.all(ofBatch: before).upperBound)
        try strays.bind(2, EventID.all(ofBatch: after).lowerBound)
        defer { strays.reset() }
        if try strays.step(), strays.int(0) > 0 {
            findings.add(
                Finding(
                    "table batch",
                    "has no row between \(before) and \(after), to which \(strays.int(0)) events belong"
                ))
        }
    }

    private func check(
        _ number: Int64, _ erasing: Set<Int64>, _ findings: inout Findings
    ) throws(StorageError) {
        let read: StoredContent.Found?
        do throws(StorageError) {
            read = try content.read(number)
        } catch {
            guard case .damaged(_, let found) = error else { throw error }
            findings.add(Finding("batch \(number)", "cannot be read: \(found)"))
            return
        }
        guard let found = read else { return }
        try names.look(
            at: found, batch: number, isSound: found.checksum == found.actual, &findings)
        guard !erasing.contains(found.device) else { return }
        batches += 1
        events += Int(found.events)
        if let key = found.key {
            let old = uses[key] ?? (0, .min)
            uses[key] = (old.batches + 1, max(old.last, found.columns.receivedAt))
        }
        for fault in Self.faults(found) { findings.add(Finding("batch \(number)", fault)) }
        try checkRecords(of: number, found, &findings)
    }

    /// Whether the list by which a batch's records are known again has as many as were stored.
    private func checkRecords(
        of number: Int64, _ found: StoredContent.Found, _ findings: inout Findings
    ) throws(StorageError) {
        try list.bind(1, number)
        defer { list.reset() }
        let count = try list.step() ? list.int(0) / Int64(FingerprintList.stride) : 0
        let isKnown = found.columns.profile == Int64(Profile.otlp.rawValue) && found.events > 0
        let wanted = isKnown ? found.events : 0
        guard count != wanted else { return }
        findings.add(
            Finding("batch \(number)", "has \(count) fingerprints, not the \(wanted) of its events")
        )
    }

    /// What is wrong with one batch: its content, or else what is counted of it.
    private static func faults(_ found: StoredContent.Found) -> [String] {
        let columns = found.columns
        if found.checksum != found.actual {
            return ["is not what was written, or its events are not"]
        }
        var faults: [String] = []
        if found.events != columns.accepted - columns.pruned {
            faults.append(
                "has \(found.events) events, not the \(columns.accepted - columns.pruned) it counts"
            )
        }
        if found.span?.lowerBound != columns.firstTime || found.span?.upperBound != columns.lastTime
        {
            faults.append("does not span the times of its events")
        }
        if found.rejections != columns.rejected {
            faults.append(
                "has \(found.rejections) rejected events, not the \(columns.rejected) it counts")
        }
        return faults
    }
}
