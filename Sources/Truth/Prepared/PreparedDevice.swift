import Client

/// A device whose events are in order, with its sessions.
struct PreparedDevice: Sendable {
    let isShared: Bool
    /// Which device it is, in the order in which they come.
    let ordinal: Int32
    let batches: [PreparedBatch]
    /// By time, then by the bytes of `batch_id`, then by index.
    let events: [PreparedEvent]
    let sessions: [PreparedSession]
    let told: ToldDevice

    /// Its earliest event ever, where it counts as a device.
    var firstSeen: PreparedEvent? { isShared ? nil : events.first }

    /// An attribute of an event; `session.id` is none.
    func value(_ key: String, of event: PreparedEvent) -> Client.Value? {
        for attribute in told.events[Int(event.told)].attributes where attribute.key == key {
            return attribute.value
        }
        return nil
    }

    /// An attribute of an event that is a text.
    func text(_ key: String, of event: PreparedEvent) -> String? {
        guard case .string(let text) = value(key, of: event) else { return nil }
        return text
    }

    /// Whether the distance of two events is exact: they moved together, or not at all.
    func isExact(_ a: PreparedEvent, _ b: PreparedEvent) -> Bool {
        a.batch == b.batch
            || !batches[Int(a.batch)].isCorrected && !batches[Int(b.batch)].isCorrected
    }
}

/// What events take from their batch.
struct PreparedBatch: Sendable {
    let isCorrected: Bool
    /// By `Dimension.index`.
    let values: [NameID]
}
