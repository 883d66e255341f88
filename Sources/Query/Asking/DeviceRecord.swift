import Events

/// What is kept of one device, in short.
package struct DeviceRecord: Sendable, Equatable {
    /// Its hash.
    package let device: DeviceHash
    /// It is many.
    package let isShared: Bool
    /// Its earliest event ever, also one that was pruned; milliseconds since 1970-01-01T00:00:00Z, as
    /// all moments here; nil without an event.
    package let firstSeen: Int64?
    /// Of the events that are there.
    package let firstEvent, lastEvent: Int64?
    /// Of its batches.
    package let firstArrival, lastArrival: Int64?
    /// Stored batches.
    package let batches: Int64
    /// Events that are there: without those that were pruned.
    package let events: Int64
    /// Events of its batches that were not taken.
    package let rejected: Int64
    /// Sessions of the events that are there.
    package let sessions: Int64
    /// What its batches said, each once, the oldest first; members that they gave.
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
