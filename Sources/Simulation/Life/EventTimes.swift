/// The moments at which events happen during one stretch of use, ms.
///
/// Where the server may have to move a device's events, each lies some seconds from the one before it and
/// from every quarter of an hour: what a request takes to arrive is in the shift, and must not change an
/// order or a bucket.
struct EventTimes {
    /// Milliseconds between which and an edge nothing is.
    static let margin: Int64 = 2_100
    private static let quarter: Int64 = 900_000

    private(set) var now: Int64
    /// When the stretch is over.
    private(set) var end: Int64
    private let keepsDistance: Bool

    init(start: Int64, length: Int64, keepsDistance: Bool) {
        self.keepsDistance = keepsDistance
        now = start
        end = start
        now = Self.settled(start, keepsDistance)
        end = Self.settled(now + max(length, keepsDistance ? Self.margin : 0), keepsDistance)
    }

    /// Lets time go by; false if the stretch would be over.
    mutating func pass(_ span: Int64) -> Bool {
        let then = Self.settled(
            now + (keepsDistance ? max(span, Self.margin) : span), keepsDistance)
        guard then < (keepsDistance ? end - Self.margin : end) else { return false }
        now = then
        return true
    }

    /// The moment, or the next one that is far enough from an edge.
    static func settled(_ moment: Int64, _ keepsDistance: Bool) -> Int64 {
        guard keepsDistance else { return moment }
        let rest = moment % quarter
        if rest < margin { return moment - rest + margin }
        return rest > quarter - margin ? moment - rest + quarter + margin : moment
    }
}
