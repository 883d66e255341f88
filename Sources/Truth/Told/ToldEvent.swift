import Client

/// An event that stands in the server.
package struct ToldEvent: Sendable {
    package var name: String
    /// When the server places it: milliseconds since 1970-01-01T00:00:00Z.
    package var time: Int64
    /// Its `session.id`.
    package var session: String?
    /// All the others.
    package var attributes: [(key: String, value: Client.Value)]
    /// The index of its batch among the device's.
    package var batch: Int
    /// Its index in the batch, as sent.
    package var index: Int

    package init(
        name: String, time: Int64, session: String? = nil,
        attributes: [(key: String, value: Client.Value)] = [], batch: Int, index: Int
    ) {
        self.name = name
        self.time = time
        self.session = session
        self.attributes = attributes
        self.batch = batch
        self.index = index
    }
}
