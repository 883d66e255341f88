import Events

/// Where an export resumes: events come by time, `batch_id`, index and device (docs/reports.md,
/// export). It is a value: between two pages nothing is open, so a reader may be as slow as it
/// likes.
package struct EventCursor: Sendable {
    /// The app whose events they are.
    package let app: QueryApp
    /// The batches whose events are exported.
    package let filter: ResourceFilter
    /// The one device whose events are exported; nil: all devices.
    package let device: DeviceHash?
    /// The stretches of time that are exported, milliseconds since 1970-01-01T00:00:00Z, in order;
    /// nil: all time.
    package let stretches: [Range<Int64>]?
    /// The event after which the export resumes; nil before the first.
    package var position: ExportPosition?
    /// Whether no event is left.
    package var isDone = false
    /// What the engine found ahead. Only that engine reads it, and any engine can resume from
    /// `position` without it.
    package var ahead: (any Sendable)?

    /// The events of a scope.
    /// - Parameter position: the event after which the export begins; nil: at the first
    package init(_ scope: QueryScope, after position: ExportPosition? = nil) {
        app = scope.app
        filter = scope.filter
        device = nil
        stretches = scope.zone.intervals(from: scope.from, to: scope.to)
        self.position = position
    }

    /// The events of one device.
    /// - Parameter scope: the range in which they lie; nil: all time
    package init(of device: DeviceHash, in app: QueryApp, _ scope: QueryScope? = nil) {
        self.app = app
        filter = .everything
        self.device = device
        stretches = scope.map { $0.zone.intervals(from: $0.from, to: $0.to) }
    }
}

/// Receives the events of an export, one after the other. Texts are JSON strings, with their
/// quotes.
package protocol EventSink {
    /// Whether it takes no further event.
    var isFull: Bool { get }

    /// How many further events it takes, about; at least 1 while it is not full.
    var wanted: Int { get }

    /// Begins the next event.
    /// - Parameters:
    ///   - time: milliseconds since 1970-01-01T00:00:00Z
    ///   - index: its index in the batch as sent
    ///   - session: the id of its session; nil without one
    mutating func begin(
        time: Int64, index: Int64, name: [UInt8], session: ArraySlice<UInt8>?,
        of batch: ExportedBatch
    )

    /// Adds an attribute other than `session.id` to the event; the value is a JSON scalar.
    mutating func attribute(_ key: [UInt8], _ value: Span<UInt8>)

    /// Ends the event.
    mutating func end()
}

/// What the events of a batch have in common. A class: many events of a page share one.
package final class ExportedBatch: Sendable {
    /// The number of the batch on its page, from 0: events with the same number are of one batch.
    package let number: Int
    /// The device that sent it.
    package let device: DeviceHash
    /// The bytes of its id.
    package let batchID: ByteText
    /// When it arrived, milliseconds since 1970-01-01T00:00:00Z.
    package let receivedAt: Int64
    /// Its resource: the device and the app version.
    package let resource: ExportedResource

    /// A batch.
    package init(
        number: Int, device: DeviceHash, batchID: ByteText, receivedAt: Int64,
        resource: ExportedResource
    ) {
        self.number = number
        self.device = device
        self.batchID = batchID
        self.receivedAt = receivedAt
        self.resource = resource
    }
}

/// The resource of batches. A class: many batches of a page share one.
package final class ExportedResource: Sendable {
    /// The number of the resource on its page, from 0.
    package let number: Int
    /// The members that were given, in the order of `Resource.members`.
    package let members: [ResourceMember]

    /// A resource.
    package init(number: Int, members: [ResourceMember]) {
        self.number = number
        self.members = members
    }
}

/// A member of a batch's resource and its text.
package struct ResourceMember: Sendable, Equatable {
    /// Its name, such as `os.name`.
    package let name: String
    /// Its text, which is not empty.
    package let value: ByteText

    /// A member.
    package init(name: String, value: ByteText) {
        self.name = name
        self.value = value
    }
}
