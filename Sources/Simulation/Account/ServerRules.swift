/// What a server does with the time of an event (docs/protocol.md, "Clocks").
package struct ServerRules: Sendable {
    /// Milliseconds that an event may be old.
    package var maxAge: Int64 = 400 * SimulationPeriod.day
    /// Milliseconds that an event may be ahead.
    private static let maxAhead: Int64 = SimulationPeriod.day
    /// Up to so many milliseconds a clock counts as right.
    private static let maxSkew: Int64 = 60_000

    /// The rules that the members have of themselves.
    package init() {}

    /// Whether it moves what a clock stamps that is so much ahead, ms.
    static func corrects(_ error: Int64) -> Bool { error.magnitude > UInt64(maxSkew) }

    /// Where it places an event; nil where it rejects it.
    ///
    /// - Parameters:
    ///   - sent: As the device has stamped it, ms.
    ///   - error: By how much the clock that stamps the batch is ahead, ms.
    ///   - arrival: The real moment, ms.
    func place(_ sent: Int64, error: Int64, arrival: Int64) -> Int64? {
        let time = Self.corrects(error) ? sent - error : sent
        guard time >= arrival - maxAge, time <= arrival + Self.maxAhead else { return nil }
        return time
    }
}
