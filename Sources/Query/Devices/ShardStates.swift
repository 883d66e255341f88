import Database
import Synchronization

/// States of the shards of devices (`DeviceShards`), of which threads update different ones.
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

    /// Calls `body` with the state of a shard. Throws what it throws.
    func update(
        _ shard: Int, _ body: (inout State) throws(StorageError) -> Void
    ) throws(StorageError) {
        try cells[shard].state.withLock { (state) throws(StorageError) in try body(&state) }
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
