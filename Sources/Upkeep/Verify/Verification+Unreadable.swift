import Database
import Storage

extension Verification.Outcome {
    /// That of a database which is too damaged to be opened: nothing was read, and that is the one
    /// finding. Nil where the error is no damage.
    package init?(unreadable error: StorageError) {
        guard case .damaged(_, let found) = error else { return nil }
        self.init()
        findings = [Finding("the file", "cannot be opened: \(found)")]
    }
}
