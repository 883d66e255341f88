/// The account of an installation, restarts included. Once synced, `appended` is the sum of all but
/// `failures` and `next`.
public struct Status: Sendable, Hashable {
    /// Events whose lines were written, and refused calls.
    public internal(set) var appended: Int64 = 0
    /// Events that the server has stored.
    public internal(set) var accepted: Int64 = 0
    /// Events that the server did not store.
    public internal(set) var rejected: Int64 = 0
    /// Events that were given up, and of which the server is told.
    public internal(set) var dropped: Int64 = 0
    /// Events that the user had deleted.
    public internal(set) var deleted: Int64 = 0
    /// Events on the way.
    public internal(set) var waiting: Int64 = 0
    /// Uploads that failed in a row.
    public internal(set) var failures: Int64 = 0
    /// Milliseconds until something may be posted.
    public internal(set) var next: Int64 = 0

    package init() {}
}
