import Synchronization

/// How many pieces of sessions the threads of a report hold together.
final class PieceCount: Sendable {
    private let count = Atomic(0)
    private let most: Int

    /// - Parameter most: how many they may hold
    init(most: Int) { self.most = most }

    /// Adds some. False where there are too many.
    func add(_ some: Int) -> Bool {
        count.wrappingAdd(some, ordering: .relaxed).newValue <= most
    }
}
