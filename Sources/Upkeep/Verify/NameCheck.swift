import Database
import Storage

/// Whether each app has the names and attribute keys that its stored events have, and no others: what
/// `max-names` counts.
final class NameCheck {
    /// Words of one kind.
    private final class Table {
        let kind: WordKind
        let find: Statement
        /// Seen so far.
        var seen: Set<AppWord> = []
        /// In the table at the beginning, and not seen so far.
        var unseen: Set<AppWord> = []

        init(_ kind: WordKind, _ connection: Connection) throws(StorageError) {
            self.kind = kind
            find = try connection.prepare(
                "SELECT 1 FROM \(kind.useTable) WHERE app = ? AND \(kind.table) = ?")
        }

        func has(_ word: AppWord) throws(StorageError) -> Bool {
            try find.bind(1, word.app)
            try find.bind(2, word.word)
            defer { find.reset() }
            return try find.step()
        }
    }

    private let connection: Connection
    private let keys: UsedKeys
    private let tables: [Table]
    /// Apps of batches that are not what was written: what they had is not known.
    private var damaged: Set<Int64> = []
    /// Counts of removals at the beginning, of each app.
    private var removals: [Int64: Int64] = [:]

    init(_ connection: Connection) throws(StorageError) {
        self.connection = connection
        keys = try UsedKeys(connection)
        tables = [try Table(.name, connection), try Table(.attributeKey, connection)]
    }

    /// At the moment from which on batches are looked at.
    func begin() throws(StorageError) {
        for index in tables.indices {
            tables[index].unseen = try UnusedCodes.all(tables[index].kind, connection)
        }
        let apps = Set(tables.flatMap { $0.unseen.map(\.app) })
        for app in apps {
            removals[app] = try connection.fact(Connection.removals(of: app)) ?? 0
        }
    }

    /// A batch as it is now.
    /// - Parameter isSound: it is what was written; otherwise it is no evidence about the tables, nor they
    ///   about it
    func look(
        at found: StoredContent.Found, batch: Int64, isSound: Bool, _ findings: inout Findings
    ) throws(StorageError) {
        if !isSound { damaged.insert(found.app) }
        let used =
            found.columns.pruned == 0
            ? Set(found.attributeKeys) : try keys.of(batch, listing: found.attributeKeys)
        for (index, words) in [found.names, used].enumerated() {
            for row in words {
                let word = AppWord(app: found.app, word: row)
                if tables[index].seen.contains(word) { continue }
                let isKnown = tables[index].unseen.remove(word) != nil || !isSound
                let isThere = isKnown ? true : try tables[index].has(word)
                if !isThere {
                    findings.add(
                        Finding(
                            "batch \(batch)",
                            "has a word that \(tables[index].kind.useTable) does not have"))
                }
                if isSound { tables[index].seen.insert(word) }
            }
        }
    }

    /// After the last batch: what no event has.
    func end(_ findings: inout Findings) throws(StorageError) {
        // What is deleted is given back last.
        guard try UnfinishedErasures.devices(connection).isEmpty,
            try connection.fact(Store.prunedAt) != 0,
            try connection.fact(Store.isEmptyingSpool) ?? 0 == 0
        else { return }
        for table in tables {
            var left: [Int64: Int] = [:]
            for word in table.unseen where try table.has(word) {
                left[word.app, default: 0] += 1
            }
            for (app, count) in left.sorted(by: { $0.key < $1.key })
            where !damaged.contains(app) {
                let now = try connection.fact(Connection.removals(of: app)) ?? 0
                guard now == removals[app] else { continue }
                findings.add(
                    Finding(
                        "\(table.kind.useTable) of app \(app)",
                        "has \(count) that none of its events has"))
            }
        }
    }
}
