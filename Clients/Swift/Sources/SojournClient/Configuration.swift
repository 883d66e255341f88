import Core

/// What a client is started with. An app gives the first few; tests set the rest.
package struct Configuration: Sendable {
    package var app: String
    package var key: Key
    /// The server's address, such as `https://stats.example.org`.
    package var server: String
    /// Where the journal lies.
    package var folder: String
    package var limits = Limits()
    /// Each line for a developer.
    package var log: @Sendable (String) -> Void = { _ in }
    /// `service.version`; nil for the bundle's.
    package var version: String?
    /// The folder with the id that a group of apps shares, in the group's container; nil for an id of the
    /// app's own.
    package var groupFolder: String?

    package init(app: String, key: Key, server: String, folder: String) {
        self.app = app
        self.key = key
        self.server = server
        self.folder = folder
    }
}
