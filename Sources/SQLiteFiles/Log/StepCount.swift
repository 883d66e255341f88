import CLogBuffer

/// Counts what a connection that writes gets done: rows, pages, syncs. Who reads it twice and finds the same
/// knows that the connection stood still in between, or had nothing to do. From any thread.
package final class StepCount: @unchecked Sendable {
    /// Written by SQLite's callbacks.
    package let cell: UnsafeMutablePointer<UInt64>

    package init() {
        cell = .allocate(capacity: 1)
        cell.initialize(to: 0)
    }

    deinit { cell.deallocate() }

    package var value: UInt64 { clogbuffer_counted(cell) }
}
