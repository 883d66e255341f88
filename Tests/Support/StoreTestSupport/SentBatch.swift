/// An event as a device would send it. Attributes are key and JSON text.
package struct SentEvent: Sendable {
    package var name: String
    /// Milliseconds since 1970-01-01T00:00:00Z.
    package var time: Int64
    package var session: String?
    package var attributes: [(key: String, json: String)] = []

    /// An event.
    package init(
        _ name: String, _ time: Int64, _ session: String? = nil,
        _ attributes: [(key: String, json: String)] = []
    ) {
        (self.name, self.time, self.session, self.attributes) = (name, time, session, attributes)
    }
}

/// A batch whose events are all accepted but for those at `rejected`.
package struct SentBatch: Sendable {
    package var device: String
    package var id: String
    package var resource: [String: String]
    package var isShared: Bool
    package var receivedAt: Int64
    package var events: [SentEvent]
    /// The first event's index as sent.
    package var firstIndex: Int
    package var clockShift: Int64
    /// The raw value of `Events.Profile`.
    package var profile: Int64
    package var key: String?
    package var sequence: Int64?
    package var dropped: Int64
    package var bytes: Int64
    /// Codes of rejected events.
    package var rejected: [String]
    /// When it came again, and how large that was.
    package var repeats: [(time: Int64, bytes: Int64)]
    /// Places of events that a prune has deleted since.
    package var pruned: Set<Int> = []

    /// A batch none of whose events is pruned.
    package init(
        device: String, id: String, resource: [String: String] = [:], isShared: Bool = false,
        receivedAt: Int64 = 1, events: [SentEvent], firstIndex: Int = 0, clockShift: Int64 = 0,
        profile: Int64 = 1, key: String? = nil, sequence: Int64? = nil, dropped: Int64 = 0,
        bytes: Int64 = 0,
        rejected: [String] = [], repeats: [(time: Int64, bytes: Int64)] = []
    ) {
        self.device = device
        self.id = id
        self.resource = resource
        self.isShared = isShared
        self.receivedAt = receivedAt
        self.events = events
        self.firstIndex = firstIndex
        self.clockShift = clockShift
        self.profile = profile
        self.key = key
        self.sequence = sequence
        self.dropped = dropped
        self.bytes = bytes
        self.rejected = rejected
        self.repeats = repeats
    }

    /// What is left of its events, with their indexes as sent.
    package var left: [(index: Int, event: SentEvent)] {
        events.enumerated().filter { !pruned.contains($0.offset) }
            .map { (firstIndex + $0.offset, $0.element) }
    }
}
