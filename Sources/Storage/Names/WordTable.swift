import Database
import Events

/// The words of one kind: texts to rows, and whether stored events of an app have them. What is not in
/// memory is looked for.
struct WordTable: ~Copyable {
    /// How many are kept in memory.
    static let capacity = 20_000

    /// Between two looks at the clock: some tenths of a millisecond.
    private static let stride = 64

    private struct Key: Hashable {
        let app: Int64
        let text: TextKey
    }

    private let exempt: Set<TextKey>
    private let connection: Connection
    /// Words that their app has.
    private var cache = GenerationCache<Key, HashedRow>(capacity: capacity)
    private let find: Statement
    private let insert: Statement
    private let use: Statement
    private let countUsed: Statement

    init(_ kind: WordKind, on connection: Connection) throws(StorageError) {
        let table = kind.table
        let uses = kind.useTable
        let find = try connection.prepare(
            """
            SELECT id, EXISTS (SELECT 1 FROM \(uses) WHERE app = ?2 AND \(table) = w.id)
            FROM \(table) AS w WHERE text = ?1
            """)
        let insert = try connection.prepare("INSERT OR IGNORE INTO \(table) (text) VALUES (?)")
        let use = try connection.prepare(
            "INSERT OR IGNORE INTO \(uses) (app, \(table)) VALUES (?, ?)")
        // Texts of ours, without a quote in them.
        let texts = kind.exempt.map { "'\($0)'" }.joined(separator: ", ")
        let countUsed = try connection.prepare(
            """
            SELECT count(*) FROM \(uses) WHERE app = ?
            AND \(table) NOT IN (SELECT id FROM \(table) WHERE text IN (\(texts)))
            """)
        // All or none: a value that cannot be copied is never half there.
        self.exempt = Set(kind.exempt.map(TextKey.init))
        self.connection = connection
        self.find = find
        self.insert = insert
        self.use = use
        self.countUsed = countUsed
    }

    /// Looks up the words that `codes` does not have yet.
    /// - Parameter deadline: uptime in nanoseconds at which it may stop; a few words are looked up in any case
    /// - Returns: whether it has them all
    mutating func lookUp(
        _ texts: [String], of app: Int64, into codes: inout WordCodes, until deadline: UInt64
    ) throws(StorageError) -> Bool {
        let areKept = Self.areKept(texts.count)
        let begin = codes.count
        for index in begin..<texts.count {
            let isAtLook = (index - begin) % Self.stride == Self.stride - 1
            if isAtLook, Deadline.hasPassed(deadline) { return false }
            let key = Key(app: app, text: TextKey(texts[index]))
            if let coded = cache.value(key) {
                codes.append(coded)
            } else {
                try lookUp(key, into: &codes, isKept: areKept)
            }
        }
        return true
    }

    private mutating func lookUp(
        _ key: Key, into codes: inout WordCodes, isKept: Bool
    ) throws(StorageError) {
        let text = key.text.text
        let hash = ChecksumStream.hash(text.utf8.span)
        try find.bind(1, text)
        try find.bind(2, key.app)
        defer { find.reset() }
        let isKnown = try find.step()
        let coded = HashedRow(code: isKnown ? find.int(0) : 0, hash: hash)
        if isKnown, find.int(1) != 0 {
            if isKept { cache.put(key, coded) }
            codes.append(coded)
        } else {
            codes.append(fresh: coded, counts: counts(text))
        }
    }

    /// Whether a word counts towards `max-names`.
    func counts(_ text: String) -> Bool { !exempt.contains(TextKey(text)) }

    /// How many words count that stored events of an app have.
    func used(by app: Int64) throws(StorageError) -> Int {
        try countUsed.bind(1, app)
        defer { countUsed.reset() }
        return try countUsed.step() ? Int(countUsed.int(0)) : 0
    }

    /// Makes rows for words that have none, in a transaction.
    /// - Parameters:
    ///   - begin: the first of `codes.fresh` to look at; then the first that was not looked at
    ///   - deadline: uptime in nanoseconds at which it may stop; some are made in any case
    mutating func makeRows(
        for texts: [String], _ codes: inout WordCodes, from begin: inout Int, until deadline: UInt64
    ) throws(StorageError) {
        var made = 0
        while begin < codes.fresh.count {
            if made == Self.stride {
                if Deadline.hasPassed(deadline) { return }
                made = 0
            }
            let index = codes.fresh[begin]
            begin += 1
            guard codes.rows[index] == 0 else { continue }
            codes.set(row: try row(of: texts[index]), at: index)
            made += 1
        }
    }

    private func row(of text: String) throws(StorageError) -> Int64 {
        try insert.bind(1, text)
        try insert.run()
        if connection.changes > 0 { return connection.lastInsertedRow }
        // Another batch has brought it meanwhile.
        try find.bind(1, text)
        defer { find.reset() }
        guard try find.step() else { throw .unstorable(rule: "a new text has no row") }
        return find.int(0)
    }

    /// Notes that stored events of an app have the fresh words, in the transaction that stores them.
    mutating func addUses(
        of texts: [String], _ codes: borrowing WordCodes, by app: Int64
    ) throws(StorageError) {
        try use.bind(1, app)
        let areKept = Self.areKept(codes.fresh.count)
        for index in codes.fresh {
            try use.bind(2, codes.rows[index])
            try use.run()
            guard areKept else { continue }
            cache.put(
                Key(app: app, text: TextKey(texts[index])),
                HashedRow(code: codes.rows[index], hash: codes.hashes[index]))
        }
    }

    /// Whether so many words of one batch are kept in memory: more would only drive out others.
    private static func areKept(_ count: Int) -> Bool { count <= capacity / 2 }

    /// How many are kept in memory now.
    var kept: Int { cache.count }

    mutating func forget() { cache.removeAll() }
}

/// The two kinds of words that devices bring and the database keeps once: names of events and keys of
/// attributes. Each has a table of its own, and they count apart (docs/protocol.md, Names).
package enum WordKind: CaseIterable, Sendable {
    case name
    case attributeKey

    /// Where the texts stand.
    package var table: String {
        switch self {
        case .name: "name"
        case .attributeKey: "attribute_key"
        }
    }

    /// Which of them the stored events of an app have: `app` and a column of the table's name.
    package var useTable: String { "app_" + table }

    /// Those that the protocol names: they do not count.
    var exempt: [String] {
        switch self {
        case .name: StandardEvent.allCases.map(\.name)
        case .attributeKey: StandardAttribute.allCases.map(\.key)
        }
    }
}

/// A name of an app, or a key of an attribute, by rows: as `app_name` and `app_attribute_key` have it.
package struct AppWord: Hashable, Sendable {
    package let app: Int64
    package let word: Int64

    /// A word of an app.
    package init(app: Int64, word: Int64) {
        self.app = app
        self.word = word
    }
}
