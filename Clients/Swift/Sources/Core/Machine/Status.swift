/// The account of an installation, restarts included. All numbers are of events but
/// ``failures`` and ``next``, and ``appended`` is the sum of the other five.
public struct Status: Sendable, Hashable {
    /// Events whose lines were written, and refused calls.
    public internal(set) var appended: Int64 = 0
    /// Events that the server has stored.
    public internal(set) var accepted: Int64 = 0
    /// Events that the server did not store.
    public internal(set) var rejected: Int64 = 0
    /// Events that were given up, refused calls among them, and of which the server is told.
    public internal(set) var dropped: Int64 = 0
    /// Events that were deleted by turning the client off, or by forgetting.
    public internal(set) var deleted: Int64 = 0
    /// Events that are neither: in the journal, or in the batch on its way.
    public internal(set) var waiting: Int64 = 0
    /// Uploads that have failed in a row.
    public internal(set) var failures: Int64 = 0
    /// Milliseconds until something may be posted after a failure; 0 is now.
    public internal(set) var next: Int64 = 0

    package init() {}
}
