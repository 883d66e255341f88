/// Rows of a table of texts, `name` or `attribute_key`: texts to codes. What is not in memory is looked
/// for, then made.
struct WordTable: ~Copyable {
    /// How many are kept in memory.
    static let capacity = 20_000

    private var cache = GenerationCache<OctetText, CodeTables.Coded>(capacity: capacity)
    private let find: Statement
    private let insert: Statement

    init(_ table: String, on connection: Connection) throws(StorageError) {
        let find = try connection.prepare("SELECT id FROM \(table) WHERE text = ?")
        let insert = try connection.prepare("INSERT INTO \(table) (text) VALUES (?) RETURNING id")
        // All or none: a value that cannot be copied is never half there.
        self.find = find
        self.insert = insert
    }

    /// Makes `codes` those of the texts.
    mutating func code(_ texts: [String], into codes: inout TextCodes) throws(StorageError) {
        codes.removeAll()
        for text in texts { codes.append(try code(of: text)) }
    }

    private mutating func code(of text: String) throws(StorageError) -> CodeTables.Coded {
        let key = OctetText(text)
        if let coded = cache.value(key) { return coded }
        var code = try CodeTables.code(find, [text])
        if code == nil { code = try CodeTables.code(insert, [text]) }
        guard let code else { throw .unstorable(rule: "a new text has no row") }
        let coded = CodeTables.Coded(code: code, hash: ChecksumStream.hash(text.utf8.span))
        cache.put(key, coded)
        return coded
    }

    mutating func forget() { cache.removeAll() }
}
