import Glibc

/// Where SQLite puts what does not fit into memory while it sorts: it holds session and batch ids, so
/// it stays in the data directory, under the same permissions.
package enum TemporaryFiles {
    /// To be called before the process has a second thread.
    package static func keep(in folder: String) { setenv("SQLITE_TMPDIR", folder, 1) }
}
