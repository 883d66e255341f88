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
