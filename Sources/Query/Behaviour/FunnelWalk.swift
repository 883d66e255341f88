/// How many steps of a funnel one device completes (docs/reports.md, funnel): the greatest k for which
/// there are different events that match the steps 1…k in order of time, those of one millisecond in
/// either order, the last at most `within` after the first.
///
/// The events come moment by moment. For each k it keeps the latest first event from which k steps
/// were completed so far: a later one leaves more time and is never worse. Of the steps that one
/// moment adds, more is never worse either: who has come further needs fewer of its events.
struct FunnelWalk {
    /// How many steps have been completed, at most.
    private(set) var furthest = 0

    private let steps: Int
    /// Milliseconds.
    private let within: Int64
    /// The latest start from which k steps are done; nil where there is none. 0 has none.
    private var starts: [Int64?]

    /// Through so many steps, in so many milliseconds.
    init(steps: Int, within: Int64) {
        self.steps = steps
        self.within = within
        starts = [Int64?](repeating: nil, count: steps + 1)
    }

    /// Back to before the first event.
    mutating func restart() {
        furthest = 0
        for place in starts.indices { starts[place] = nil }
    }

    /// Goes on to the next moment at which something matches, later than all before.
    /// - Parameter masks: for each event of the moment the steps that it matches, bit 0 for the first;
    ///   ascending, none of them 0
    mutating func add(_ time: Int64, _ masks: ArraySlice<UInt16>) {
        guard furthest < steps else { return }
        if masks.count == 1, let mask = masks.first { return add(time, mask) }
        var matching = FunnelMatching(masks, steps: steps)
        // From the last step down here too: what this moment adds must not be added to.
        for done in stride(from: steps - 1, through: 0, by: -1) {
            guard let start = start(at: time, after: done) else { continue }
            let reach = matching.reach(after: done)
            guard reach > done else { continue }
            for step in done + 1...reach { advance(to: step, from: start) }
        }
    }

    /// The same of a moment that has one event.
    mutating func add(_ time: Int64, _ mask: UInt16) {
        guard furthest < steps else { return }
        // From the last step down: one event completes one step.
        for step in stride(from: steps, through: 1, by: -1) where mask & Self.bit(step) != 0 {
            advance(to: step, from: start(at: time, after: step - 1))
        }
    }

    /// The bit of a step, counted from 1.
    static func bit(_ step: Int) -> UInt16 { 1 << UInt16(step - 1) }

    /// The start from which so many steps are done and that still leaves time at `time`.
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
