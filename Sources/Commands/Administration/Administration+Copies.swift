import Database
import Service
import Storage
import Upkeep

extension Administration {
    /// Makes a backup: in the running server, else here under the directory's lock.
    /// - Parameters:
    ///   - folder: where to
    ///   - progress: told how many bytes of the database are copied, and of how many
    /// - Throws: where the copy is not in that folder as it is seen from here, too
    func backup(
        to folder: String, withKey: Bool, progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> BackupSummary {
        try requireDatabase()
        let folder = WorkingFolder.absolute(folder)
        let begun = try inServerOrHere(
            .startBackup(directory: folder, withKey: withKey)
        ) { store -> AdminResult in
            var state = BackupState(number: 0)
            state.summary = try BackupWork.run(store, directory: folder, withKey: withKey) {
                (done, total) throws(AdminFailure) in progress(done, total)
            }
            return .backup(state)
        }
        guard case .backup(let state) = begun else {
            throw AdminFailure(.software, "unexpected answer")
        }
        var known: BackupState? = state
        let summary = try polling.first(every: Self.pause) {
            () throws -> BackupSummary? in
            let next = try known.take() ?? self.state(ofBackup: state.number)
            if next.summary == nil { progress(next.done, next.total) }
            return next.summary
        }
        try Self.requireHere(summary)
        return summary
    }

    /// How far the server is with a backup.
    private func state(ofBackup number: Int) throws -> BackupState {
        switch try answer(.backupState(number: number)) {
        case .done(.backup(let state))?: state
        case .failed(let failure)?: throw Self.inServer(failure)
        case .done?, nil:
            throw AdminFailure(.unavailable, "the server went away; no backup was made")
        }
    }

    /// Why the server made no copy, as the command says it.
    static func inServer(_ failure: AdminFailure) -> AdminFailure {
        guard [.cannotCreate, .io].contains(failure.exit) else { return failure }
        let advice = failure.isForbidden == true ? "; give a folder that it may write to" : ""
        return AdminFailure(
            failure.exit,
            "the server, which writes the copy as its own user, failed: \(failure)\(advice)")
    }

    /// A service may have a file system of its own: what it wrote to /tmp goes with it.
    static func requireHere(_ backup: BackupSummary) throws(AdminFailure) {
        let manifest = try? BackupManifest.read(in: backup.directory)
        if manifest?.createdAt == backup.createdAt { return }
        throw AdminFailure(
            .cannotCreate,
            "the server made a copy in \(backup.directory), which is another folder to it than here, "
                + "and may go when it ends; give one that both see, with ReadWritePaths= in its unit"
        )
    }

    /// Brings a backup back into a data directory without a database.
    func restore(
        from folder: String, progress: (_ done: Int, _ total: Int) -> Void
    ) throws -> (summary: BackupSummary, erased: Int?, missingKey: String?) {
        TemporaryFiles.keep(in: settings.data)
        do throws(StorageError) {
            let outcome = try Restore(from: folder, to: settings.storage).run(step: progress)
            return (
                BackupSummary(outcome.manifest, directory: folder), outcome.erased,
                outcome.missingKey
            )
        } catch {
            throw AdminFailure(error)
        }
    }

    /// Reads everything back; beside a running server too, and without the master key as far as that goes.
    /// - Throws: `StorageError.damaged` where the database cannot even be opened, and what else
    ///   keeps it from being read
    func verify(progress: (Verification.Progress) -> Void) throws -> Verification.Outcome {
        guard try directory.hasDatabase() else { throw AdminFailure.noDatabase(in: settings.data) }
        TemporaryFiles.keep(in: settings.data)
        return try Verification(directory, masterKeyFile: settings.masterKeyFile)
            .run(progress: progress)
    }
}
