import Events
import JSON

/// What a batch is judged by besides its text.
package struct JudgeContext: Sendable {
    package var profile: Profile
    /// When the request's first byte came, milliseconds since 1970-01-01T00:00:00Z.
    package var arrival: Int64
    /// The most events a batch may have (docs/protocol.md, The batch); at most
    /// `JudgeContext.maxIndexedEvents`.
    package var maxEvents: Int
    /// The most JSON values and members' names that its text may have.
    package var maxElements: Int
    /// How far before arrival an event may lie, milliseconds.
    package var maxEventAge: Int64
    /// Before which prunes have deleted what there was, milliseconds since 1970-01-01T00:00:00Z.
    package var floor: Int64

    /// An event's row id has 13 bits for its index.
    static let maxIndexedEvents = 1 << 13
    /// How far the device's clock may be off before times are moved: 60 s, in milliseconds
    /// (docs/protocol.md, Clocks).
    package static let maxSkew: Int64 = 60_000

    package init(
        profile: Profile, arrival: Int64, maxEvents: Int = 5_000,
        maxElements: Int = Scanner.defaultMaxElements,
        maxEventAge: Int64 = 400 * 86_400_000, floor: Int64 = .min
    ) {
        self.profile = profile
        self.arrival = arrival
        self.maxEvents = min(maxEvents, JudgeContext.maxIndexedEvents)
        self.maxElements = maxElements
        self.maxEventAge = maxEventAge
        self.floor = floor
    }

    /// What is added to every time of a batch that was sent at that reading of the device's clock.
    func shift(sentAt: Int64?) -> Int64 {
        guard let sentAt else { return 0 }
        // Both lie within ±2^53.
        let skew = arrival - sentAt
        return skew.magnitude <= JudgeContext.maxSkew.magnitude ? 0 : skew
    }

    /// Whether an event may have that time, which was not moved yet.
    @inline(__always)
    func allows(_ time: Int64, shift: Int64) -> Bool {
        guard time >= -BatchLimit.integer && time <= BatchLimit.integer else { return false }
        let corrected = time &+ shift
        let age = arrival &- corrected
        return corrected >= floor && age <= maxEventAge && age >= -BatchLimit.eventLead
    }
}
