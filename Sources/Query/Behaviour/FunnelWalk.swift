/// How many steps of a funnel one device completes (docs/reports.md, funnel): the greatest k for
/// which there are different events that match the steps 1…k in order of time, those of one
/// millisecond in either order, the last at most `within` after the first.
///
/// The caller adds the events moment by moment. For each k the walk keeps the latest first event
/// from which k steps were completed so far: a later one leaves more time and is never worse. Nor
/// is it worse to complete more steps with one moment: a device that is further needs fewer of its
/// events.
package struct FunnelWalk {
    /// The most steps that have been completed.
    package private(set) var furthest = 0

    private let steps: Int
    /// Milliseconds.
    private let within: Int64
    /// By k: the latest start from which k steps are done; nil without one, and for 0.
    private var starts: [Int64?]

    /// A walk before its first event.
    /// - Parameters:
    ///   - steps: how many steps the funnel has
    ///   - within: the most milliseconds from the first event to the last
    package init(steps: Int, within: Int64) {
        self.steps = steps
        self.within = within
        starts = [Int64?](repeating: nil, count: steps + 1)
    }

    /// Goes back to before the first event.
    mutating func restart() {
        furthest = 0
        for step in starts.indices { starts[step] = nil }
    }

    /// Stands for no start.
    static let none = Int64.min

    /// Goes back to where the walk of a device stood.
    /// - Parameters:
    ///   - starts: what `forEachStart` said, from the first step on
    ///   - furthest: the most steps that had been completed
    mutating func resume(_ starts: ArraySlice<Int64>, furthest: Int) {
        self.furthest = furthest
        for (step, start) in zip(1...steps, starts) {
            self.starts[step] = start == Self.none ? nil : start
        }
    }

    /// Calls `body` with each step, from the first, and the latest start from which it is done; `none`
    /// where it is not.
    func forEachStart(_ body: (_ step: Int, _ start: Int64) -> Void) {
        for step in 1...steps { body(step, starts[step] ?? Self.none) }
    }

    /// Adds the next moment at which something matches, later than all before.
    /// - Parameter masks: for each event of the moment the steps that it matches, bit 0 for the
    ///   first; ascending, none of them 0
    package mutating func add(_ time: Int64, _ masks: ArraySlice<UInt16>) {
        guard furthest < steps else { return }
        if masks.count == 1, let mask = masks.first { return add(time, mask) }
        var matching = FunnelMatching(masks, steps: steps)
        // From the last step down here too: the moment must not build on steps that it added
        // itself.
        for done in stride(from: steps - 1, through: 0, by: -1) {
            guard let start = start(at: time, after: done) else { continue }
            let reach = matching.reach(after: done)
            guard reach > done else { continue }
            for step in done + 1...reach { advance(to: step, from: start) }
        }
    }

    /// Adds a moment with one event.
    mutating func add(_ time: Int64, _ mask: UInt16) {
        guard furthest < steps else { return }
        // From the last step down: one event completes one step.
        for step in stride(from: steps, through: 1, by: -1) where mask & Self.bit(step) != 0 {
            advance(to: step, from: start(at: time, after: step - 1))
        }
    }

    /// The bit of a step, counted from 1.
    static func bit(_ step: Int) -> UInt16 { 1 << UInt16(step - 1) }

    /// The latest start from which `done` steps are done and which still leaves time at `time`.
    private func start(at time: Int64, after done: Int) -> Int64? {
        if done == 0 { return time }
        guard let start = starts[done], time - start <= within else { return nil }
        return start
    }

    private mutating func advance(to step: Int, from start: Int64?) {
        guard let start else { return }
        starts[step] = max(starts[step] ?? start, start)
        furthest = max(furthest, step)
    }
}
