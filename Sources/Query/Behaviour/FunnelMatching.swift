/// The steps of a funnel that the events of one millisecond can complete together, each event one
/// step: a matching in a graph of steps and events, grown by augmenting paths.
struct FunnelMatching {
    /// The steps that each event matches; equal masks at most as often as there are steps.
    private let masks: [UInt16]
    private let steps: Int
    /// The step that each event completes; 0: none.
    private var owners: [Int]
    /// Whether the search for one path has visited an event.
    private var seen: [Bool]

    /// Takes the events of one moment.
    /// - Parameter masks: the steps that each matches, bit 0 for the first; ascending
    init(_ masks: ArraySlice<UInt16>, steps: Int) {
        var kept: [UInt16] = []
        for mask in masks
        where kept.count < steps || kept[kept.count - steps] != mask {
            kept.append(mask)
        }
        self.masks = kept
        self.steps = steps
        owners = [Int](repeating: 0, count: kept.count)
        seen = [Bool](repeating: false, count: kept.count)
    }

    /// The furthest step such that all steps after `done` up to it can be completed.
    mutating func reach(after done: Int) -> Int {
        for event in owners.indices { owners[event] = 0 }
        var step = done
        while step < steps {
            for event in seen.indices { seen[event] = false }
            guard assign(step + 1) else { break }
            step += 1
        }
        return step
    }

    /// Finds an event for a step, if needed by reassigning the events of other steps. It recurses
    /// at most as deep as there are steps.
    private mutating func assign(_ step: Int) -> Bool {
        for event in masks.indices
        where !seen[event] && masks[event] & FunnelWalk.bit(step) != 0 {
            seen[event] = true
            if owners[event] == 0 || assign(owners[event]) {
                owners[event] = step
                return true
            }
        }
        return false
    }
}
