import CLogBuffer
import Database

/// Gathers writes to the WAL, hands them to the system in one piece before a sync, and counts what a
/// connection gets done (`CLogBuffer`). For connections that write.
package struct WALBuffer: FileLayer {
    package let name = CLOGBUFFER_NAME

    /// All are the same layer.
    package init() {}

    package func register() -> Int32 { clogbuffer_register() }

    package func didRollBack(_ database: OpaquePointer) { clogbuffer_forget(database) }

    package func willClose(_ database: OpaquePointer) { clogbuffer_count(database, nil) }
}

extension Connection {
    /// Counts the connection's steps from now on. To be called once SQLite has opened the WAL, by a
    /// first read of the file.
    package func count(in steps: StepCount) {
        keep(steps)
        clogbuffer_count(handle, steps.cell)
    }
}

/// Counts what a connection that writes gets done: rows, pages, syncs. Two equal
/// readings mean that the connection was stuck in between, or had nothing to do. From any thread.
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
