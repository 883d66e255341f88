import Database
import Storage
import Synchronization

/// The texts of resources that a filter can match. It reads a resource by its row, as the app's own
/// rows name it, and none that only other apps have. Any thread of a report may use it.
final class ResourceTexts: Sendable {
    private struct Rows: ~Copyable {
        let statement: Statement
    }

    private let rows: Mutex<Rows>
    private let turn: ConnectionTurn

    /// Throws what the database throws.
    init(_ reading: Reading) throws(StorageError) {
        let statement = try reading.prepare(
            """
            SELECT os_name, os_version, service_version, device_model FROM resource WHERE id = ?1
            """)
        rows = Mutex(Rows(statement: statement))
        turn = reading.turn
    }

    /// The texts of a resource in the order of `ResourceFilter.dimensions`, `unknown` for a missing
    /// one; nil where there is no such resource. Throws what the database throws.
    func texts(of resource: Int64) throws(StorageError) -> [ByteText]? {
        try turn.take { () throws(StorageError) in
            try rows.withLock { (rows) throws(StorageError) in
                try rows.statement.bind(1, resource)
                defer { rows.statement.reset() }
                guard try rows.statement.step() else { return nil }
                var texts: [ByteText] = []
                for column in ResourceFilter.dimensions.indices {
                    let text = rows.statement.blob(Int32(column))
                    texts.append(text.isEmpty ? .unknown : ByteText(bytes: text))
                }
                return texts
            }
        }
    }
}
