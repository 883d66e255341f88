/// A judged batch that may be stored: self-contained, no reference to the request it came in.
package struct AcceptedBatch: Sendable {
    /// Row id of the app.
    package var app: Int64
    package var device: DeviceHash
    /// Its raw id is one that many devices share (docs/protocol.md, Device identity).
    package var isShared: Bool
    package var resource: Resource
    package var batchID: String
    /// When the request's first byte came, milliseconds since 1970-01-01T00:00:00Z.
    package var receivedAt: Int64
    /// What was added to every time of the batch, milliseconds (docs/protocol.md, Clocks).
    package var clockShift: Int64
    /// The device's clock when it was sent, milliseconds since 1970-01-01T00:00:00Z; nil where it does not say. Not
    /// stored.
    package var sentAt: Int64?
    package var profile: Profile
    /// Row id of the ingest key; nil where the profile has none.
    package var key: Int64?
    package var sequence: Int64?
    package var droppedEvents: Int64
    /// The body as sent, in bytes.
    package var bodyBytes: Int
    /// Events that were not taken.
    package var rejected: Int
    /// The first `Rejection.maxReported` of them, in order of index.
    package var rejections: [Rejection]
    /// All of them, by code, in order of `EventRule`.
    package var rejectionCounts: [RejectionCount]
    /// Names of the accepted events, each once.
    package var names: [String]
    /// A JSON array of the accepted events' session ids, each once; nil without any.
    package var sessionsJSON: [UInt8]?
    /// Keys of the accepted events' attributes, each once.
    package var attributeKeys: [String]
    /// In order of index.
    package var events: [AcceptedEvent]
    /// The attributes of all events one after another, each as the column `event.attributes` has
    /// it: the elements of a JSON array, key index and value in turn.
    package var text: [UInt8]
    /// By what each event is known again in another batch of its device, in order of index
    /// (docs/opentelemetry.md, What is known again). Empty where whole batches alone come again: in all profiles but
    /// `otlp`.
    package var fingerprints: [Fingerprint] = []

    package init(
        app: Int64, device: DeviceHash, isShared: Bool, resource: Resource, batchID: String,
        receivedAt: Int64, clockShift: Int64, profile: Profile, key: Int64?, sequence: Int64?,
        droppedEvents: Int64, bodyBytes: Int, rejected: Int, rejections: [Rejection],
        rejectionCounts: [RejectionCount], names: [String], sessionsJSON: [UInt8]?,
        attributeKeys: [String], events: [AcceptedEvent], text: [UInt8]
    ) {
        self.app = app
        self.device = device
        self.isShared = isShared
        self.resource = resource
        self.batchID = batchID
        self.receivedAt = receivedAt
        self.clockShift = clockShift
        self.profile = profile
        self.key = key
        self.sequence = sequence
        self.droppedEvents = droppedEvents
        self.bodyBytes = bodyBytes
        self.rejected = rejected
        self.rejections = rejections
        self.rejectionCounts = rejectionCounts
        self.names = names
        self.sessionsJSON = sessionsJSON
        self.attributeKeys = attributeKeys
        self.events = events
        self.text = text
    }

    /// The earliest and the latest event's time; nil if no event was accepted.
    package var timeSpan: ClosedRange<Int64>? {
        guard let first = events.first else { return nil }
        var low = first.time
        var high = first.time
        for event in events {
            low = min(low, event.time)
            high = max(high, event.time)
        }
        return low...high
    }
}

/// An event that may be stored. Its texts are indexes into the lists of its batch.
package struct AcceptedEvent: Hashable, Sendable {
    /// Its index in `events` as sent, from 0; it and the batch are its identity.
    package var index: UInt16
    /// Index in `AcceptedBatch.names`.
    package var name: UInt32
    /// When it happened: milliseconds since 1970-01-01T00:00:00Z, corrected by the batch's shift.
    package var time: Int64
    /// Index in the batch's sessions; -1 if it has no `session.id`.
    package var session: Int32
    /// Where its attributes stand in `AcceptedBatch.text`; empty if it has none besides
    /// `session.id`.
    package var attributes: Range<UInt32>

    package init(
        index: UInt16, name: UInt32, time: Int64, session: Int32, attributes: Range<UInt32>
    ) {
        self.index = index
        self.name = name
        self.time = time
        self.session = session
        self.attributes = attributes
    }
}

extension AcceptedBatch {
    /// About how many bytes of memory it takes while it waits to be stored.
    package var memory: Int {
        // What the value itself, its arrays' headers and a handful of small texts come to.
        let fixed = 1024
        return fixed + text.count + events.count * MemoryLayout<AcceptedEvent>.stride
            + fingerprints.count * MemoryLayout<Fingerprint>.stride
            + Self.memory(of: names) + Self.memory(of: attributeKeys) + (sessionsJSON?.count ?? 0)
    }

    private static func memory(of texts: [String]) -> Int {
        var bytes = texts.count * MemoryLayout<String>.stride
        for text in texts where text.utf8.count > inlineText {
            bytes += storageHeader + text.utf8.count
        }
        return bytes
    }

    /// Bytes of a text that stand in the value itself.
    private static let inlineText = 15
    /// Bytes before the text in memory of its own.
    private static let storageHeader = 32
}
