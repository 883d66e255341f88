import TestSupport

/// What a power cut leaves of what was written and not synced.
enum Survival: String, CaseIterable {
    /// Nothing.
    case drop
    /// Of the operations any subset, each whole.
    case some
    /// Of the sectors any subset: writes are torn.
    case torn
    /// Of the sectors any subset, and some hold noise.
    case noise
    /// Everything, as after a kill.
    case all

    /// Octets that a disk writes as one.
    static let sector = 512

    /// What becomes of one piece of a write.
    enum Fate { case kept, lost, noise }

    /// Of a whole operation.
    func fate(using random: inout SplitMix) -> Fate {
        switch self {
        case .drop: .lost
        case .all, .torn, .noise: .kept
        case .some: random.oneIn(2) ? .kept : .lost
        }
    }

    /// Of one sector of an operation that was kept.
    func sectorFate(using random: inout SplitMix) -> Fate {
        switch self {
        case .drop, .some, .all: .kept
        case .torn: random.oneIn(2) ? .kept : .lost
        case .noise: [.kept, .lost, .noise][Int.random(in: 0..<3, using: &random)]
        }
    }

    /// Of a change that has no sectors: a length, a name.
    func isKept(using random: inout SplitMix) -> Bool {
        switch self {
        case .drop: false
        case .all: true
        case .some, .torn, .noise: random.oneIn(2)
        }
    }
}
