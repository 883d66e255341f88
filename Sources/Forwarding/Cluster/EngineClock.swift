/// How far the node's clock is from the engine's, of which only whole seconds are known. Each answer says
/// between which ends the difference lies; what all of them say together is known to a few milliseconds.
/// Milliseconds.
package struct EngineClock: Sendable {
    /// The node's clock less the engine's lies between these; nil: nothing is known.
    private(set) var bounds: ClosedRange<Int64>?
    /// When the bounds were true, by the node's clock.
    private var moment: Int64 = 0
    /// Clocks that are not set stay together but for one part in so many.
    private static let drift: Int64 = 2_000

    package init() {}

    /// Takes an answer in.
    /// - Parameters:
    ///   - seconds: the engine's clock
    ///   - sent, received: the node's clock before the question and after the answer
    mutating func learn(seconds: Int64, sent: Int64, received: Int64) {
        guard received >= sent, (0...1 << 40).contains(seconds) else { return }
        // The engine's moment lay in that second and between question and answer.
        let told = (sent - (seconds * 1000 + 999))...(received - seconds * 1000)
        defer { moment = received }
        guard let bounds else {
            self.bounds = told
            return
        }
        let slack = (received - moment).magnitude / UInt64(Self.drift) + 1
        let (low, high) = (
            bounds.lowerBound - Int64(clamping: slack), bounds.upperBound + Int64(clamping: slack)
        )
        // One of the clocks was set: what was known counts no more.
        guard low <= told.upperBound, told.lowerBound <= high else {
            self.bounds = told
            return
        }
        self.bounds = max(low, told.lowerBound)...min(high, told.upperBound)
    }

    /// The latest moment of the engine's clock that has surely come when the node's shows `moment`; nil while
    /// nothing is known.
    func surely(_ moment: Int64) -> Int64? { bounds.map { moment - $0.upperBound } }

    /// The node's clock less the engine's, as far as it is known: 0 where they may be the same.
    package var offset: Int64? {
        guard let bounds else { return nil }
        if bounds.contains(0) { return 0 }
        return bounds.lowerBound > 0 ? bounds.lowerBound : bounds.upperBound
    }
}
