import ArgumentParser
import Service
import Upkeep

/// `sojourn prune`: deletes what is older than wanted.
struct PruneCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Delete the events of old sessions, and old events without one.",
        discussion: """
            When a device was first seen stays known, and older events are not taken any more. A limit after \
            the newest arrival would leave nothing, and needs --all. \
            With forward-to that goes for all nodes and the engine. \
            The setting retention does this daily. Example: sojourn prune --older-than 400d
            """)

    /// As for the setting `retention`, milliseconds.
    private static let oldest: Int64 = 3650 * 86_400_000

    @Option(
        parsing: .unconditional,
        help: "How old, such as 400d: sessions that ended before then, and events from before.")
    var olderThan: String
    @Flag(help: "Also where that is everything there is.")
    var all = false
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        guard let age = DurationText.milliseconds(olderThan), 1...Self.oldest ~= age else {
            throw AdminFailure(.usage, "--older-than takes a duration such as 400d, at most 3650d")
        }
        let result = try Administration(settings: invocation.settings()).perform(
            .prune(olderThan: age, all: all))
        guard case .pruned(let pruned) = result else {
            throw AdminFailure(.software, "unexpected answer")
        }
        invocation.show(result.members, text: Self.text(pruned))
    }

    /// For people. Pages go back to the file system whole: a few events free none.
    static func text(_ pruned: PruneSummary) -> String {
        let room =
            if let freed = pruned.freedBytes, freed > 0 {
                ", the database is \(freed) octets smaller"
            } else if pruned.freedBytes != nil, pruned.events > 0 {
                ", the room they had in the database is used again"
            } else {
                ""
            }
        return "pruned \(pruned.events == 0 ? "no" : "\(pruned.events)") events "
            + "from before \(Moment.text(pruned.before))\(room)\n"
            + (pruned.damaged == 0
                ? "" : "\(pruned.damaged) damaged batches were left alone; run sojourn verify\n")
    }
}
