import Database
import Glibc

/// Hashes of the texts for which codes in rows of batches stand, as `BatchDigest` takes them. What is
/// not in memory is looked for; a code without a row has the hash zero.
package struct TextHashes: ~Copyable {
    /// How many hashes are kept in memory.
    static let capacity = 20_000

    private let find: Statement
    private let columns: Int32
    private var cache = GenerationCache<Int64, UInt64>(capacity: capacity)

    /// - Parameters:
    ///   - columns: what is hashed: one text, or several whose hashes are hashed
    ///   - table: where they stand, with their code as `id`
    package init(_ columns: [String], of table: String, on connection: Connection)
        throws(StorageError)
    {
        find = try connection.prepare(
            "SELECT \(columns.joined(separator: ", ")) FROM \(table) WHERE id = ?")
        self.columns = Int32(columns.count)
    }

    package mutating func hash(of code: Int64) throws(StorageError) -> UInt64 {
        if let hash = cache.value(code) { return hash }
        try find.bind(1, code)
        defer { find.reset() }
        guard try find.step() else { return 0 }
        var hashes: [UInt64] = []
        for column in 0..<columns {
            hashes.append(find.withText(column) { ChecksumStream.hash($0) })
        }
        let hash = hashes.count == 1 ? hashes[0] : BatchDigest.hash(hashes)
        cache.put(code, hash)
        return hash
    }

    /// After a rollback, or when others have changed the rows.
    package mutating func forget() { cache.removeAll() }
}

/// A text as a key of a dictionary: equal only to one of the same UTF-8 bytes, as in the database.
/// `String` holds canonically equivalent texts for one: the sign of the kelvin would find a K.
struct TextKey: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: TextKey, right: TextKey) -> Bool {
        let (left, right) = (left.text.utf8.span, right.text.utf8.span)
        guard left.count == right.count else { return false }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in
                guard let one = left.baseAddress, let other = right.baseAddress else { return true }
                return memcmp(one, other, left.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) {
        text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// A row id, and the hash of the row's texts as `BatchDigest` takes it.
package struct HashedRow {
    package let code: Int64
    package let hash: UInt64
}
