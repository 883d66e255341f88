import ArgumentParser
import JSON
import Service

/// `sojourn backup`: a consistent copy of everything, while the server runs.
struct BackupCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Make a consistent copy of the data, also while the server runs.",
        discussion: """
            The folder gets sojourn.db, erased and, last of all, manifest.json with checksums; with \
            --with-key also master.key. Without the master key a backup is of no use: keep it elsewhere. \
            A running server writes the copy itself, so the folder has to be one that it may write to.
            Example: sojourn backup /backups/2026-11-21
            """)

    @ArgumentParser.Argument(help: "A folder that is empty or not there yet.")
    var folder: String
    @Flag(name: .long, help: "Copy the master key too: whoever has such a backup has everything.")
    var withKey = false
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        guard !folder.isEmpty else { throw AdminFailure(.usage, "name the folder of the backup") }
        let bar = ProgressBar(invocation.errors, unit: "bytes")
        defer { bar.finish() }
        let made = try Administration(settings: invocation.settings()).backup(
            to: folder, withKey: withKey
        ) { bar.show($0, of: $1) }
        bar.finish()
        invocation.show(
            made.members,
            text: "\(Printable.text(made.directory)) holds \(Counted.batches(made.batches)) with "
                + "\(Counted.events(made.events)) of \(Counted.devices(made.devices)), \(made.bytes) bytes"
                + (made.withKey ? "" : "; the master key is not in it") + "\n")
    }
}
