/// How far the node's clock is from the engine's, of which only whole seconds are known. Each answer says
/// between which ends the difference lies; what all of them say together is known to a few milliseconds.
/// Milliseconds.
package struct EngineClock: Sendable {
    /// The node's clock less the engine's lies between these; nil: nothing is known.
    private(set) var bounds: ClosedRange<Int64>?
    /// When the bounds were true.
    private var moment = NodeTime(wall: 0, uptime: 0)
    /// Clocks that are not set stay together but for one part in so many.
    private static let drift: Int64 = 2_000

    package init() {}

    /// Takes an answer in.
    /// - Parameters:
    ///   - seconds: the engine's clock
    ///   - sent, received: the node's time before the question and after the answer
    mutating func learn(seconds: Int64, sent: NodeTime, received: NodeTime) {
        guard received.wall >= sent.wall, received.isSteady(since: sent),
            (0...1 << 40).contains(seconds)
        else {
            bounds = nil
            return
        }
        // The engine's moment lay in that second and between question and answer.
        let told = (sent.wall - (seconds * 1000 + 999))...(received.wall - seconds * 1000)
        let last = moment
        moment = received
        guard let bounds, received.isSteady(since: last) else {
            self.bounds = told
            return
        }
        let slack = (received.wall - last.wall).magnitude / UInt64(Self.drift) + 1
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

    /// The latest moment of the engine's clock that has surely come when the node's shows `wall`; nil while
    /// nothing is known, as after the node's clock was set.
    /// - Parameter now: the node's time
    func surely(_ wall: Int64, now: NodeTime) -> Int64? {
        guard let bounds, now.isSteady(since: moment) else { return nil }
        return wall - bounds.upperBound
    }

    /// The node's clock less the engine's, as far as it is known: 0 where they may be the same.
    package var offset: Int64? {
        guard let bounds else { return nil }
        if bounds.contains(0) { return 0 }
        return bounds.lowerBound > 0 ? bounds.lowerBound : bounds.upperBound
    }
}
