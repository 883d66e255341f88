import Events
import Storage

/// A session of a device of which all events that are stored here lie before a prune's limit.
package struct EndedSession: Hashable, Sendable {
    package let device: DeviceHash
    /// Its id, UTF-8.
    package let session: [UInt8]
    /// The same as a JSON string.
    let json: String

    init(device: DeviceHash, session: [UInt8], json: String) {
        (self.device, self.session, self.json) = (device, session, json)
    }
}

/// Knows of events that are stored elsewhere: sessions that have ended here may go on there.
package struct PruneSparing {
    /// Of sessions of an app those that stay; nil where that cannot be told: the prune ends then, and
    /// leaves the rest to the next one.
    let sessions: (App, [EndedSession]) -> Set<EndedSession>?

    /// - Parameter sessions: of sessions of an app those that stay; nil where that cannot be told
    package init(_ sessions: @escaping (App, [EndedSession]) -> Set<EndedSession>?) {
        self.sessions = sessions
    }
}
