import ArgumentParser
import Service

/// `sojourn forward`: what a node hands over to the engine.
struct ForwardCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "forward", abstract: "Hand over again what the engine may have lost.",
        discussion: """
            With --again all that the node still has counts as not handed over, or what arrived or was \
            handed over since a moment; the server hands it over in the background. Harmless at any \
            time: the engine knows every batch. Run it at each node after the engine was put back from \
            a copy. \
            Example: sojourn forward --again --since 2026-11-24T18:00:00Z
            """)

    @Flag(help: "Hand over again.")
    var again = false
    @Option(
        help: ArgumentHelp(
            "Only what arrived or was handed over since then: a time such as 2026-11-24T18:00:00Z, or milliseconds since 1970.",
            valueName: "time"))
    var since: String?
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        guard again else {
            throw AdminFailure(.usage, "say --again to hand over again what the node has")
        }
        let moment = try since.map { text in
            guard let moment = Moment.milliseconds(text) else {
                throw AdminFailure(
                    .usage,
                    "--since takes a time such as 2026-11-24T18:00:00Z, or milliseconds since 1970")
            }
            return moment
        }
        _ = try Administration(settings: invocation.settings()).perform(
            .forwardAgain(from: moment))
        let what =
            moment.map { "what arrived or was handed over since \(Moment.text($0))" }
            ?? "everything that is here"
        invocation.show(
            [("again", .bool(true)), ("since", moment.map { .integer($0) } ?? .null)],
            text:
                "\(what) counts as not handed over: the server hands it over again while it runs\n")
    }
}
