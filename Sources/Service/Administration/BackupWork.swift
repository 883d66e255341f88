import Database
import Storage
import Upkeep

/// Making a backup: in the server, or in a command that holds the directory's lock.
package enum BackupWork {
    /// - Parameters:
    ///   - directory: an absolute path
    ///   - step: told how many octets of the database are copied, and of how many; what it throws ends it
    package static func run(
        _ store: Store, directory: String, withKey: Bool,
        step: (_ done: Int, _ total: Int) throws(AdminFailure) -> Void
    ) throws(AdminFailure) -> BackupSummary {
        var refused: AdminFailure?
        do throws(StorageError) {
            let backup = Backup(
                of: store,
                .init(
                    target: directory, withKey: withKey, program: BuildInfo.version,
                    now: Timestamp.milliseconds))
            let manifest = try backup.run { (done, total) throws(StorageError) in
                do throws(AdminFailure) {
                    try step(done, total)
                } catch {
                    refused = error
                    throw .closed
                }
            }
            return BackupSummary(manifest, directory: directory)
        } catch {
            throw refused ?? AdminFailure(error)
        }
    }
}
