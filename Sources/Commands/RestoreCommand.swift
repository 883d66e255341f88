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
            backup was made are erased again. An older backup is brought up to date; where that needs the \
            master key and it is not there, the first start does both.
            Example: sojourn restore /backups/2026-11-21 --data /var/lib/sojourn
            """)

    @ArgumentParser.Argument(help: "The folder that 'sojourn backup' made.")
    var folder: String
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        guard !folder.isEmpty else { throw AdminFailure(.usage, "name the folder of the backup") }
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
            backup.members + [("erased", erased.map { .integer(Int64($0)) } ?? .null)],
            text:
                "\(Printable.text(settings.data)) holds \(Counted.batches(backup.batches)) with "
                + "\(Counted.events(backup.events)) of \(Counted.devices(backup.devices)) again"
                + erasures(erased)
                + (missingKey.map { "; bring the master key to \($0)" } ?? "") + "\n")
    }

    private func erasures(_ count: Int?) -> String {
        guard let count else {
            return "; the first start brings the schema up to date and erases again what it must"
        }
        return count > 0 ? "; \(count) of them were erased again" : ""
    }
}
