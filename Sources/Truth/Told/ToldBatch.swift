/// A batch that the server has stored.
package struct ToldBatch: Sendable {
    /// Its `batch_id`.
    package var id: String
    package var resource: ToldResource
    package var sequence: Int64
    /// Its `dropped_events`.
    package var dropped: Int64
    /// How many events of it the server rejects, all as `time-out-of-range`: the device's events have none
    /// of these.
    package var rejected: Int64
    package var accepted: Int64
    /// How often it came again.
    package var repeats: Int
    /// How often more it may have come: what became of so many attempts is not known.
    package var uncertain = 0
    /// The server has moved its times: they may all lie up to `TruthScope.slack` from what is told, by one
    /// and the same amount.
    package var isCorrected: Bool
    /// When it was posted first: milliseconds since 1970-01-01T00:00:00Z.
    package var posted: Int64

    package init(
        id: String, resource: ToldResource, sequence: Int64, dropped: Int64 = 0,
        rejected: Int64 = 0,
        accepted: Int64, repeats: Int = 0, isCorrected: Bool = false, posted: Int64
    ) {
        self.id = id
        self.resource = resource
        self.sequence = sequence
        self.dropped = dropped
        self.rejected = rejected
        self.accepted = accepted
        self.repeats = repeats
        self.isCorrected = isCorrected
        self.posted = posted
    }
}
