import Columns
import Database
import Dispatch
import SQLiteFiles
import Synchronization

/// Has the system read what reports will need, before they ask for it page by page: after a start the files are on
/// disk alone. What was hinted is not hinted again for a while. From any thread.
package final class ReadAhead: Sendable {
    /// A row of a table, up to a column; or all of a table or an index.
    private enum Hint: Hashable {
        case row(String, Int64, upTo: Int)
        case all(String)
    }

    private struct State {
        var hinted: Set<Hint> = []
        /// Uptime in nanoseconds at which all is forgotten.
        var end: UInt64 = 0
    }

    /// What was read some minutes ago may have left the page cache.
    private static let period: UInt64 = 300_000_000_000
    /// Rows that are remembered: of more the hints come again.
    private static let maxHinted = 1 << 16

    private let state = Mutex(State())

    /// Nothing was hinted yet.
    package init() {}

    /// Hints rows of a table.
    /// - Parameter column: up to which each is read, from 0
    func hint(rows: [Int64], of table: String, upTo column: Int, on connection: Connection) {
        let fresh = rows.filter { note(.row(table, $0, upTo: column)) }
        guard !fresh.isEmpty, var hints = PageHints(connection) else { return }
        hints.hint(rows: fresh, of: table, upTo: column)
    }

    /// Hints a table or an index.
    package func hint(all name: String, on connection: Connection) {
        guard note(.all(name)), var hints = PageHints(connection) else { return }
        hints.hint(all: name)
    }

    /// - Returns: whether it is new
    private func note(_ hint: Hint) -> Bool {
        let now = DispatchTime.now().uptimeNanoseconds
        return state.withLock { state in
            if now >= state.end || state.hinted.count >= Self.maxHinted {
                state.hinted = []
                state.end = now + Self.period
            }
            return state.hinted.insert(hint).inserted
        }
    }
}

/// The rows that the threads of one scan come to, hinted some time before they do, as many at once as a small
/// machine's memory bears.
final class RowsAhead: Sendable {
    /// How many rows are hinted at once.
    private static let portion = 256

    private let table: String
    /// By index in the list, and the column up to which it is read; nil where none is to be hinted.
    private let rows: @Sendable (Int, Int) -> Int64?
    private let count: Int
    private let ahead: ReadAhead
    private let readers: ConnectionPool
    /// Up to which index rows are hinted.
    private let reached = Atomic(0)
    private let lock = Mutex(())

    init(
        _ table: String, count: Int, _ ahead: ReadAhead, _ readers: ConnectionPool,
        row: @escaping @Sendable (_ index: Int, _ column: Int) -> Int64?
    ) {
        self.table = table
        self.count = count
        self.ahead = ahead
        self.readers = readers
        rows = row
    }

    /// A thread comes to an index, and reads its row up to a column, from 0.
    func come(to index: Int, upTo column: Int) {
        let reached = reached.load(ordering: .relaxed)
        if reached >= count || index < reached - Self.portion / 2 { return }
        if index < reached {
            // Another thread does it, and there is something to do until then.
            lock.withLockIfAvailable { _ in hintMore(than: reached, upTo: column) }
        } else {
            lock.withLock { _ in hintMore(than: reached, upTo: column) }
        }
    }

    private func hintMore(than seen: Int, upTo column: Int) {
        guard reached.load(ordering: .relaxed) == seen else { return }
        let end = min(seen + Self.portion, count)
        let fresh = (seen..<end).compactMap { rows($0, column) }
        if !fresh.isEmpty {
            _ = try? readers.lend { (connection) throws(StorageError) in
                ahead.hint(rows: fresh, of: table, upTo: column, on: connection)
            }
        }
        reached.store(end, ordering: .relaxed)
    }
}
