import Forwarding
import Synchronization

/// Which nodes that are waited for the engine's table has named while this server runs. No row of it is ever
/// deleted: an engine that does not name one any more has lost more than that, and until the node is back nobody
/// can tell what.
final class SeenNodes: Sendable {
    private let names = Mutex<Set<String>>([])

    /// Takes in the table as it is now.
    /// - Returns: whether all that were seen are there
    func isComplete(_ entries: [NodeTable.Entry]) -> Bool {
        let now = Set(entries.map(\.name))
        return names.withLock { names in
            guard names.isSubset(of: now) else { return false }
            names = Set(entries.lazy.filter { !$0.isRetired }.map(\.name))
            return true
        }
    }
}
