import Client
import Truth

/// A device of a test: what its batches say, and what they mean.
struct SentDevice {
    /// How far the clock of a device is behind that stamps a corrected batch.
    static let delay: Int64 = 3 * 3_600_000

    /// Its raw id.
    let id: String
    var told: ToldDevice
    /// By batch: at which indexes events stand that are too old.
    var tooOld: [[Int]]

    /// The JSON of a batch that is posted now.
    func json(ofBatch number: Int, now: Int64) -> String {
        let batch = told.batches[number]
        var events = told.events.filter { $0.batch == number }.map { event in
            (event.index, text(of: event, moved: batch.isCorrected ? -Self.delay : 0))
        }
        events += tooOld[number].map { ($0, #"{"name":"screen.view","time":1}"#) }
        let array = events.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: ",")
        let stamp = batch.isCorrected ? #","sent_at":\#(now - Self.delay)"# : ""
        return #"{"batch_id":"\#(batch.id)","sequence":\#(batch.sequence)"#
            + #","dropped_events":\#(batch.dropped)\#(stamp)"#
            + #","resource":\#(text(of: batch.resource)),"events":[\#(array)]}"#
    }

    private func text(of resource: ToldResource) -> String {
        let members = [
            ("app.installation.id", id), ("os.name", resource.osName),
            ("os.version", resource.osVersion), ("service.version", resource.serviceVersion),
            ("device.model.identifier", resource.model), ("telemetry.sdk.name", resource.sdkName),
            ("telemetry.sdk.version", resource.sdkVersion),
        ]
        let given = members.compactMap { name, value in value.map { #""\#(name)":"\#($0)""# } }
        return "{" + given.joined(separator: ",") + "}"
    }

    private func text(of event: ToldEvent, moved by: Int64) -> String {
        var attributes = event.attributes.map { #""\#($0.key)":\#(text(of: $0.value))"# }
        if let session = event.session { attributes.append(#""session.id":"\#(session)""#) }
        return #"{"name":"\#(event.name)","time":\#(event.time + by)"#
            + #","attributes":{\#(attributes.joined(separator: ","))}}"#
    }

    private func text(of value: Client.Value) -> String {
        switch value {
        case .string(let text): #""\#(text)""#
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .boolean(let isTrue): "\(isTrue)"
        }
    }
}
