import Database
import Storage
import Synchronization

/// What resources say of the things that can be filtered by, each asked for by its row as the app's own
/// rows name it: nothing is read of a resource that only other apps have. Of any thread of a report.
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

    /// The texts of a resource in the order of `ResourceFilter.dimensions`, those that were not given as
    /// `unknown`; nil where there is no such resource. Throws what the database throws.
    func texts(of resource: Int64) throws(StorageError) -> [ByteText]? {
        try turn.take { () throws(StorageError) in
            try rows.withLock { (rows) throws(StorageError) in
                try rows.statement.bind(1, resource)
                defer { rows.statement.reset() }
                guard try rows.statement.step() else { return nil }
                var texts: [ByteText] = []
                for place in ResourceFilter.dimensions.indices {
                    let text = rows.statement.blob(Int32(place))
                    texts.append(text.isEmpty ? .unknown : ByteText(bytes: text))
                }
                return texts
            }
        }
    }
}
