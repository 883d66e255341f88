import Database
import Storage
import Synchronization

/// The texts of resources that a filter can match, or those of the client. It reads a resource by its row,
/// as the app's own rows name it, and none that only other apps have. Any thread of a report may use it.
final class ResourceTexts: Sendable {
    private struct Rows: ~Copyable {
        let statement: Statement
    }

    private let rows: Mutex<Rows>
    private let turn: ConnectionTurn
    private let count: Int32

    /// The texts that can be filtered by, in the order of `ResourceFilter.dimensions`. Throws what the
    /// database throws.
    convenience init(_ reading: Reading) throws(StorageError) {
        try self.init(
            """
            SELECT os_name, os_version, service_version, device_model FROM resource WHERE id = ?1
            """, count: 4, reading)
    }

    /// The name and the version of the client. Throws what the database throws.
    convenience init(clients reading: Reading) throws(StorageError) {
        try self.init(
            "SELECT sdk_name, sdk_version FROM resource WHERE id = ?1", count: 2, reading)
    }

    private init(_ sql: String, count: Int32, _ reading: Reading) throws(StorageError) {
        rows = Mutex(Rows(statement: try reading.prepare(sql)))
        turn = reading.turn
        self.count = count
    }

    /// The texts of a resource, `unknown` for a missing one; nil where there is no such resource.
    /// Throws what the database throws.
    func texts(of resource: Int64) throws(StorageError) -> [ByteText]? {
        try turn.take { () throws(StorageError) in
            try rows.withLock { (rows) throws(StorageError) in
                try rows.statement.bind(1, resource)
                defer { rows.statement.reset() }
                guard try rows.statement.step() else { return nil }
                var texts: [ByteText] = []
                for column in 0..<count {
                    let text = rows.statement.blob(column)
                    texts.append(text.isEmpty ? .unknown : ByteText(bytes: text))
                }
                return texts
            }
        }
    }
}
