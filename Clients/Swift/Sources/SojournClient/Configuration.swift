import Core

/// What a client is started with. An app gives the first few; tests set the rest.
package struct Configuration: Sendable {
    package var app: String
    package var key: Key
    /// The server's address, such as `https://stats.example.org`.
    package var server: String
    /// Where the journal lies.
    package var folder: String
    /// Bytes of waiting events at most.
    package var journalLimit = 5 << 20
    /// Milliseconds in the background after which another session begins.
    package var sessionTimeout: Int64 = 1_800_000
    /// Whether events are judged and not stored.
    package var isDebug = false
    /// Each line for a developer.
    package var log: @Sendable (String) -> Void = { _ in }
    /// `service.version`; nil for the bundle's.
    package var version: String?
    package var backoff = Backoff()
    /// An app group whose container has the id.
    package var group: String?
    /// Milliseconds that an upload in the background has.
    package var budget: Int64 = 5000
    /// Milliseconds that an attempt has.
    package var attempt: Int64 = 30_000
    /// Milliseconds that an event waits in the foreground.
    package var interval: Int64 = 300_000
    /// The same in debug.
    package var debugInterval: Int64 = 1000
    /// Bytes that wait in the foreground.
    package static let threshold = 32_768

    package init(app: String, key: Key, server: String, folder: String) {
        self.app = app
        self.key = key
        self.server = server
        self.folder = folder
    }
}

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
}
