import ArgumentParser
import JSON
import Service

/// `sojourn restore`: back from a backup, into a data directory without a database.
struct RestoreCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring a backup back into a data directory without a database.",
        discussion: """
            Checksums are checked before anything gets its name; devices that were erased after the \
            backup was made are erased again.
            Example: sojourn restore /backups/2026-11-21 --data /var/lib/sojourn
            """)

    @ArgumentParser.Argument(help: "The folder that 'sojourn backup' made.")
    var folder: String
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        let bar = ProgressBar(invocation.errors, unit: "bytes")
        defer { bar.finish() }
        let (backup, erased, missingKey) = try Administration(settings: settings).restore(
            from: folder
        ) {
            bar.show($0, of: $1)
        }
        bar.finish()
        invocation.show(
            backup.members + [("erased", .integer(Int64(erased)))],
            text:
                "\(Printable.text(settings.data)) holds \(backup.batches) batches with \(backup.events) events of "
                + "\(backup.devices) devices again"
                + (erased > 0 ? "; \(erased) of them were erased again" : "")
                + (missingKey.map { "; bring the master key to \($0)" } ?? "") + "\n")
    }
}
