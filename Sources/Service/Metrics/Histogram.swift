import Synchronization

/// How often a value lay within each of a few bounds. From any thread.
final class Histogram: Sendable {
    private struct State {
        /// Within each bound and no lower one; the last: beyond all.
        var counts: [Int]
        var sum = 0
    }

    /// What the values are divided by to be told: 1,000,000,000 for nanoseconds told as seconds.
    let scale: Double
    /// Ascending, in the scale in which they are told.
    let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double], scale: Double = 1) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func observe(_ value: Int) {
        let told = Double(value) / scale
        let place = bounds.firstIndex { told <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[place] += 1
            state.sum &+= value
        }
    }

    /// How many values lay within each bound or a lower one, how many there were, and their sum.
    var reading: (within: [Int], count: Int, sum: Double) {
        let state = state.withLock { $0 }
        var running = 0
        let within = state.counts.dropLast().map { count in
            running += count
            return running
        }
        return (within, running + (state.counts.last ?? 0), Double(state.sum) / scale)
    }
}
