import Database
import Storage
import Upkeep

/// Making a backup: in the server, or in a command that holds the directory's lock.
package enum BackupWork {
    /// - Parameters:
    ///   - directory: an absolute path
    ///   - step: gets how many bytes of the database are copied, and of how many; what it throws ends it
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

/// A backup that was made or restored, as the commands show it.
package struct BackupSummary: Codable, Sendable, Equatable {
    /// The folder.
    package let directory: String
    /// Milliseconds since 1970: the moment whose state it is.
    package let createdAt: Int64
    package let schema: Int64
    package let batches: Int64
    package let events: Int64
    package let devices: Int64
    /// Bytes of all its files.
    package let bytes: Int64
    /// Whether the master key is in it.
    package let withKey: Bool

    package init(_ manifest: BackupManifest, directory: String) {
        self.directory = directory
        createdAt = manifest.createdAt
        schema = manifest.schema
        batches = manifest.batches
        events = manifest.events
        devices = manifest.devices
        bytes = Int64(manifest.bytes)
        withKey = manifest.hasKey
    }

    package var members: [(String, JSONValue)] {
        [
            ("backup", .text(directory)), ("created_at", .integer(createdAt)),
            ("schema", .integer(schema)), ("batches", .integer(batches)),
            ("events", .integer(events)), ("devices", .integer(devices)),
            ("bytes", .integer(bytes)), ("with_key", .bool(withKey)),
        ]
    }
}
