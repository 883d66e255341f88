import JSON

/// One batch of a simulated device, as it would be posted but for the moment of posting.
package struct SimulatedBatch: Sendable {
    /// The device's number in the population, from 0.
    package let device: Int
    /// Counts the device's batches.
    package let sequence: Int64
    /// A UUID of version 7, made when the batch was frozen.
    package let batchID: String
    /// When the device posted it, in the simulated time: milliseconds.
    package let delivery: Int64
    /// Whether the same batch was posted before.
    package let isRepeat: Bool
    /// How many events it has.
    package let eventCount: Int
    /// The batch as JSON (docs/protocol.md, "The batch"), without `sent_at`.
    package let text: [UInt8]

    /// The batch as it is sent at `moment` (milliseconds).
    package func stamped(_ moment: Int64) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(text.count + 32)
        out += #"{"sent_at":"#.utf8
        Writer.append(moment, to: &out)
        out.append(UInt8(ascii: ","))
        out += text.dropFirst()
        return out
    }
}

extension SimulatedBatch {
    /// Writes out what was planned.
    init(_ plan: PlannedBatch, device: Int, traits: DeviceTraits, calendar: ReleaseCalendar) {
        var random = SeededRandom(seed: plan.seed)
        let batchID = Identifier.uuid7(time: plan.made, &random)
        let release = traits.release(on: plan.made / SimulationPeriod.day, calendar)
        var script = SessionScript(
            plan, session: Identifier.session(plan.session, of: traits.seed), random: random,
            loads: LoadTimes(plan, platform: traits.platform, release: release))
        var writer = Writer(reserving: 4_096)
        writer.beginObject()
        writer.member("schema", 1)
        writer.member("batch_id", batchID)
        writer.member("sequence", plan.sequence)
        writer.member("dropped_events", plan.dropped)
        writer.name("resource")
        Self.writeResource(
            of: traits, on: plan.made / SimulationPeriod.day, release, to: &writer)
        writer.name("events")
        writer.beginArray()
        if let late = plan.lateEnd {
            let session = Identifier.session(late.session, of: traits.seed)
            script.writeEnd(of: session, at: late.time, to: &writer)
        }
        script.write(opening: plan.opening, closing: plan.closing, to: &writer)
        writer.endArray()
        writer.endObject()
        self.init(
            device: device, sequence: plan.sequence, batchID: batchID, delivery: plan.delivery,
            isRepeat: plan.isRepeat, eventCount: script.count, text: writer.take())
    }

    private static func writeResource(
        of traits: DeviceTraits, on day: Int64, _ release: Int, to writer: inout Writer
    ) {
        let app = ReleaseCalendar.names(of: release)
        writer.beginObject()
        writer.member(
            traits.hasOldIdentity ? "device.id" : "app.installation.id", traits.identity)
        writer.member("os.name", traits.platform.name)
        writer.member("os.version", traits.osVersion(on: day))
        writer.member("device.model.identifier", traits.model.identifier)
        writer.member("device.manufacturer", traits.model.manufacturer)
        writer.member("service.version", app.version)
        writer.member("app.build_id", app.build)
        writer.member("telemetry.sdk.name", traits.platform.sdk)
        writer.member("telemetry.sdk.version", "1.0.0")
        writer.endObject()
    }
}
