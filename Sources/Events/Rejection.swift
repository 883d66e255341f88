/// One event that was not taken, as the answer tells it (docs/protocol.md, The answer).
package struct Rejection: Hashable, Sendable {
    /// Its index in the batch's `events`, from 0.
    package var index: Int
    /// The first rule it broke.
    package var rule: EventRule

    package init(index: Int, rule: EventRule) {
        self.index = index
        self.rule = rule
    }

    /// How many of them an answer names; the others are only counted.
    package static let maxReported = 20
}

/// How many events of a batch were not taken for one code, and which was the first.
package struct RejectionCount: Hashable, Sendable {
    /// As on the wire, `EventRule.code`.
    package var code: String
    package var count: Int
    /// The index of the first in the batch's `events`, from 0.
    package var firstIndex: Int

    package init(code: String, count: Int, firstIndex: Int) {
        self.code = code
        self.count = count
        self.firstIndex = firstIndex
    }
}
