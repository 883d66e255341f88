import Glibc

/// Whether standard error goes to systemd's journal.
enum JournalStream {
    /// `JOURNAL_STREAM` names the stream that systemd made, `DEVICE:INODE` (systemd.exec(5)); whoever
    /// inherited the variable and sent its output elsewhere is not deceived.
    /// - Parameters:
    ///   - variable: its value, nil where it is not set
    ///   - descriptor: to be compared with it
    static func isJournal(variable: String?, descriptor: Int32) -> Bool {
        guard let variable else { return false }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// Of this process's standard error.
    static var isStandardError: Bool {
        isJournal(
            variable: getenv("JOURNAL_STREAM").map { String(cString: $0) },
            descriptor: STDERR_FILENO)
    }
}
