/// How much room an inflation gets: enough for honest bodies at the first try, little for lies.
enum InflateRoom {
    /// Smallest room: whatever a sender says, what an event loop judges itself is inflated at the first try.
    private static let minRoom = 64 << 10
    /// JSON of events shrinks 5 to 15 times. A trailer that claims more is believed only so far.
    private static let believed = 32
    private static let guessed = 4

    /// - Parameters:
    ///   - input: Bytes of the deflate stream.
    ///   - hint: Inflated bytes as the sender says, nil if it says nothing.
    ///   - ceiling: Bytes that are never exceeded.
    static func first(input: Int, hint: Int?, ceiling: Int) -> Int {
        let maxBelieved = input.multipliedReportingOverflow(by: believed)
        let wanted = hint ?? input.multipliedReportingOverflow(by: guessed).partialValue
        let bounded = maxBelieved.overflow ? ceiling : min(max(wanted, 0), maxBelieved.partialValue)
        return min(max(bounded, minRoom), ceiling)
    }

    /// The next room after one that did not do.
    static func next(after room: Int, ceiling: Int) -> Int {
        room > ceiling / 4 ? ceiling : max(room * 4, min(minRoom, ceiling))
    }

    /// Grows the scratch to the room, keeping its bytes; never shrinks it.
    static func grow(_ scratch: inout [UInt8], to room: Int, keeping kept: Int) {
        guard scratch.count < room else { return }
        if kept == 0 {
            // Released before the larger one is made, so that both never exist at once.
            scratch = []
            scratch = [UInt8](repeating: 0, count: room)
        } else {
            scratch.reserveCapacity(room)
            scratch.append(contentsOf: repeatElement(0, count: room - scratch.count))
        }
    }
}
