import Database
import Synchronization

/// States of shards of devices, which threads update: one thread a shard at a time.
final class ShardStates<State: Sendable>: Sendable {
    private final class Cell: Sendable {
        let state: Mutex<State>
        init(_ state: State) { self.state = Mutex(state) }
    }

    private let cells: [Cell]

    /// - Parameters:
    ///   - count: how many shards there are
    ///   - state: with which each begins
    init(_ count: Int, _ state: State) { cells = (0..<count).map { _ in Cell(state) } }

    /// How many shards there are.
    var count: Int { cells.count }

    /// Calls `body` with the state of a shard. Throws what it throws.
    func update<Failure: Error>(
        _ shard: Int, _ body: (inout State) throws(Failure) -> Void
    ) throws(Failure) {
        try cells[shard].state.withLock { (state) throws(Failure) in try body(&state) }
    }

    /// Takes the state of a shard, and leaves another in its place.
    func exchange(_ shard: Int, for other: State) -> State {
        cells[shard].state.withLock { state in
            defer { state = other }
            return state
        }
    }

    /// Calls `body` with each, one after the other.
    func forEach(_ body: (State) -> Void) {
        for cell in cells { cell.state.withLock { body($0) } }
    }
}

/// Of a report whose threads have no shares.
struct NoShare: ReportShare {
    mutating func merge(_ other: NoShare) {}
}
