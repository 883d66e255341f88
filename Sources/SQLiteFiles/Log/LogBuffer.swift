import CLogBuffer
import Database

/// What is written to the log goes to the system in one piece before it is synced, and what a connection
/// gets done is counted (`CLogBuffer`). For connections that write.
package struct LogBuffer: FileLayer {
    package let name = CLOGBUFFER_NAME

    /// The one there is.
    package init() {}

    package func register() -> Int32 { clogbuffer_register() }

    package func didRollBack(_ database: OpaquePointer) { clogbuffer_forget(database) }

    package func willClose(_ database: OpaquePointer) { clogbuffer_count(database, nil) }
}

extension Connection {
    /// Has its steps counted from now on. To be called when the log has been opened, by a first look into the
    /// file.
    package func count(in steps: StepCount) {
        keep(steps)
        clogbuffer_count(handle, steps.cell)
    }
}

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
