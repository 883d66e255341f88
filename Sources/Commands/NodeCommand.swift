import ArgumentParser
import Forwarding
import Service

/// `sojourn node`: the nodes that hand over to one engine.
struct NodeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "node", abstract: "List the nodes of an engine, and retire one.",
        subcommands: [List.self, Retire.self])

    struct List: Command {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the nodes that hand over to the engine.",
            discussion: """
                COMPLETE TO is the moment before which everything that the node answered 200 is in the \
                engine, by the engine's clock. Reports say the least of those that are not retired.
                """)

        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            let nodes = try Administration(settings: invocation.settings()).cluster {
                try $0.nodes()
            }
            invocation.show(
                list: nodes.map { node in
                    [
                        ("node", .text(node.name)),
                        ("complete_to", node.completeTo.map { .integer($0) } ?? .null),
                        ("last_seen", .integer(node.lastSeen)), ("retired", .bool(node.isRetired)),
                    ]
                },
                header: ["NODE", "COMPLETE TO", "LAST SEEN", "STATE"],
                lines: nodes.map { node in
                    [
                        node.name, node.completeTo.map { Moment.text($0) } ?? "never",
                        Moment.text(node.lastSeen), node.isRetired ? "retired" : "counts",
                    ]
                })
        }
    }

    struct Retire: Command {
        static let configuration = CommandConfiguration(
            commandName: "retire", abstract: "Wait for a node no longer.",
            discussion: """
                For one that will not come back: what it had not handed over is lost, and reports say again \
                how far they are complete. It counts again when it hands over.
                """)

        @Argument(help: "The node's name.")
        var name: String
        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            try Administration(settings: invocation.settings()).cluster { try $0.retire(name) }
            invocation.show(
                [("node", .text(name)), ("retired", .bool(true))],
                text: "retired node \(name): it counts again when it hands over\n")
        }
    }
}
