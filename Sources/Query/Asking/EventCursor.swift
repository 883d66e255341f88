import Events
import JSON

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

    /// Members as a JSON object.
    package static func json(_ members: [ResourceMember]) -> [UInt8] {
        var writer = JSON.Writer()
        writer.beginObject()
        for member in members {
            let value = member.value.bytes
            writer.name(member.name)
            writer.string(value.span)
        }
        writer.endObject()
        return writer.take()
    }
}
