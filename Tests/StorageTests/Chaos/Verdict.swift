/// What a store was found to have wrong.
struct Verdict {
    /// Answered as stored, and not there or not whole.
    var lost: [String] = []
    /// There more than once, or taken for new a second time.
    var doubled: [String] = []
    /// Anything else that must not be.
    var other: [String] = []

    var all: [String] {
        lost.map { "lost: " + $0 } + doubled.map { "doubled: " + $0 } + other
    }

    static func += (left: inout Verdict, right: Verdict) {
        left.lost += right.lost
        left.doubled += right.doubled
        left.other += right.other
    }
}
