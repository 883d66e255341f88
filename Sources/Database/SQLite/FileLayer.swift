/// A layer between SQLite and the system's files (a VFS, https://www.sqlite.org/vfs.html) through which a
/// connection may be opened. Which there are is known above.
package protocol FileLayer: Sendable {
    /// Its name, for sqlite3_open_v2.
    var name: String { get }
    /// Makes it known to SQLite; again does no harm.
    /// - Returns: SQLite's code
    func register() -> Int32
    /// After a rollback: what the transaction wrote belongs to nobody.
    /// - Parameter database: `sqlite3 *`
    func didRollBack(_ database: OpaquePointer)
    /// Before a connection closes.
    /// - Parameter database: `sqlite3 *`
    func willClose(_ database: OpaquePointer)
}
