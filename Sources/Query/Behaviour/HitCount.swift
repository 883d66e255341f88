import Synchronization

/// How many hits of a funnel the threads of a report hold together.
final class HitCount: Sendable {
    private let count = Atomic(0)
    private let limit: Int

    /// - Parameter limit: how many they may hold
    init(limit: Int) { self.limit = limit }

    /// Adds some. False if there are too many now.
    func add(_ some: Int) -> Bool {
        count.wrappingAdd(some, ordering: .relaxed).newValue <= limit
    }
}
