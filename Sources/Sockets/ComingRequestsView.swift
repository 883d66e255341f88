import Synchronization

/// What other loops see of a loop's requests that are still coming.
final class ComingRequestsView: Sendable {
    /// There is none.
    static let none = Int64.max
    private let large = Atomic<Int64>(ComingRequestsView.none)
    private let small = Atomic<Int64>(ComingRequestsView.none)

    /// When the longest-coming of those began that hold much, or of the others; `none` without any.
    func eldest(isLarge: Bool) -> Int64 {
        isLarge ? large.load(ordering: .relaxed) : small.load(ordering: .relaxed)
    }

    /// To be called on the loop's thread after each change.
    func publish(_ requests: borrowing ComingRequests) {
        large.store(requests.eldest(isLarge: true) ?? Self.none, ordering: .relaxed)
        small.store(requests.eldest(isLarge: false) ?? Self.none, ordering: .relaxed)
    }
}
