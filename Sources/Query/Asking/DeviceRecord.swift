import Events

/// A summary of what is stored of one device.
package struct DeviceRecord: Sendable, Equatable {
    /// Its hash.
    package let device: DeviceHash
    /// Whether it is shared (docs/protocol.md, Device identity).
    package let isShared: Bool
    /// The time of its earliest event ever, also of one that was pruned; nil without events. All
    /// times here are milliseconds since 1970-01-01T00:00:00Z.
    package let firstSeen: Int64?
    /// The times of its earliest and its latest stored event.
    package let firstEvent, lastEvent: Int64?
    /// When its first and its last stored batch arrived.
    package let firstArrival, lastArrival: Int64?
    /// How many batches are stored.
    package let batches: Int64
    /// How many events are stored: without pruned ones.
    package let events: Int64
    /// How many events of its batches were rejected.
    package let rejected: Int64
    /// How many sessions the stored events make.
    package let sessions: Int64
    /// The resources of its batches, each once, the oldest first; only members that were given.
    package let resources: [[ResourceMember]]

    /// A record.
    package init(
        device: DeviceHash, isShared: Bool, firstSeen: Int64?, firstEvent: Int64?,
        lastEvent: Int64?, firstArrival: Int64?, lastArrival: Int64?, batches: Int64,
        events: Int64, rejected: Int64, sessions: Int64, resources: [[ResourceMember]]
    ) {
        self.device = device
        self.isShared = isShared
        self.firstSeen = firstSeen
        (self.firstEvent, self.lastEvent) = (firstEvent, lastEvent)
        (self.firstArrival, self.lastArrival) = (firstArrival, lastArrival)
        self.batches = batches
        self.events = events
        self.rejected = rejected
        self.sessions = sessions
        self.resources = resources
    }
}
