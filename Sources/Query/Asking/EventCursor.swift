import Events

/// Where an export goes on: events by time, `batch_id`, index and device (docs/reports.md, export). A value:
/// between two pages nothing is open, so that a reader may be as slow as it likes.
package struct EventCursor: Sendable {
    /// The app whose events they are.
    package let app: QueryApp
    /// The batches whose events come.
    package let filter: ResourceFilter
    /// The one device whose events they are; nil: of all.
    package let device: DeviceHash?
    /// The stretches of time from which they come, milliseconds since 1970-01-01T00:00:00Z, in order; nil:
    /// from all.
    package let stretches: [Range<Int64>]?
    /// The event after which it goes on; nil before the first.
    package var position: ExportPosition?
    /// No event is left.
    package var isDone = false
    /// What the engine found ahead. No other looks at it, and `position` tells enough to go on without it.
    package var ahead: (any Sendable)?

    /// The events of a scope.
    /// - Parameter position: the event after which they begin; nil: all
    package init(_ scope: QueryScope, after position: ExportPosition? = nil) {
        app = scope.app
        filter = scope.filter
        device = nil
        stretches = scope.zone.intervals(from: scope.from, to: scope.to)
        self.position = position
    }

    /// The events of one device.
    /// - Parameter scope: the range in which they lie; nil: all
    package init(of device: DeviceHash, in app: QueryApp, _ scope: QueryScope? = nil) {
        self.app = app
        filter = .everything
        self.device = device
        stretches = scope.map { $0.zone.intervals(from: $0.from, to: $0.to) }
    }
}

/// What takes the events of an export, one after the other. Texts come as JSON strings, with their quotes.
package protocol EventSink {
    /// It takes no event more.
    var isFull: Bool { get }

    /// How many events more it takes, about; at least 1 while it is not full.
    var wanted: Int { get }

    /// The next event begins.
    /// - Parameters:
    ///   - time: milliseconds since 1970-01-01T00:00:00Z
    ///   - index: in its batch as sent
    ///   - session: its session's id; nil without one
    mutating func begin(
        time: Int64, index: Int64, name: [UInt8], session: ArraySlice<UInt8>?,
        of batch: ExportedBatch
    )

    /// It has an attribute besides `session.id`; the value is a JSON scalar.
    mutating func attribute(_ key: [UInt8], _ value: Span<UInt8>)

    /// The event has no further attribute.
    mutating func end()
}

/// What the events of a batch have in common. A class: many events of a page share one.
package final class ExportedBatch: Sendable {
    /// Counts the batches of a page, from 0: other events with this number are of the same batch.
    package let number: Int
    /// Whose it is.
    package let device: DeviceHash
    /// The bytes of its id.
    package let batchID: ByteText
    /// When it came, milliseconds since 1970-01-01T00:00:00Z.
    package let receivedAt: Int64
    /// What it says of its device and app.
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

/// What batches say of their device and app. A class: many batches of a page share one.
package final class ExportedResource: Sendable {
    /// Counts the resources of a page, from 0.
    package let number: Int
    /// Members that were given, in the order of `Resource.members`.
    package let members: [ResourceMember]

    /// A resource.
    package init(number: Int, members: [ResourceMember]) {
        self.number = number
        self.members = members
    }
}

/// A member of a batch's resource and its text.
package struct ResourceMember: Sendable, Equatable {
    /// Such as `os.name`.
    package let name: String
    /// Not empty.
    package let value: ByteText

    /// A member.
    package init(name: String, value: ByteText) {
        self.name = name
        self.value = value
    }
}
