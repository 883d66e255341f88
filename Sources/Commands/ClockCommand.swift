import ArgumentParser
import Service

/// `sojourn clock`: who says that the machine's clock is right.
struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show who vouches for the clock, or vouch for it.",
        subcommands: [Show.self, Accept.self], defaultSubcommand: Show.self)

    struct Show: Command {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show the clock, and who vouches for it.",
            discussion: """
                The kernel does while a time service keeps its clock; else the devices that posted last, while \
                theirs agree; else whoever said 'sojourn clock accept' within a day. Nothing is deleted for its \
                age while nobody does.
                """)

        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            try ClockCommand.show(.clock, invocation)
        }
    }

    struct Accept: Command {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Vouch for the clock, for a day.",
            discussion: """
                Look at it first (date -u): what is older than retention says is deleted by it. What is stored as \
                later than now was stored by a clock that ran ahead, and holds up no batch any more.
                """)

        @OptionGroup var shared: SharedOptions

        func run(_ invocation: Invocation) throws {
            try ClockCommand.show(.acceptClock, invocation)
        }
    }

    private static func show(_ operation: AdminOperation, _ invocation: Invocation) throws {
        let result = try Administration(settings: invocation.settings()).perform(operation)
        guard case .clock(let clock) = result else {
            throw AdminFailure(.software, "unexpected answer")
        }
        invocation.show(result.members, text: text(clock))
    }

    static func text(_ clock: ClockSummary) -> String {
        let advice =
            clock.now < BuildInfo.date
            ? "nobody: it is before this program was made; set it"
            : "nobody: \(ClockVoucher.advice)"
        var rows: [(String, String)] = [
            ("clock", Moment.text(clock.now)),
            ("vouched for by", clock.voucher?.text ?? advice),
        ]
        if let end = clock.acceptedUntil {
            rows.append(("your word holds", "until " + Moment.text(end)))
        }
        if !clock.isUsable {
            rows.append(("batches", "get 503"))
        } else if clock.isDoubtful {
            rows.append(("batches", "get 503 where their device has another time"))
        }
        rows.append(("newest arrival", clock.newestArrival.map(Moment.text) ?? "none"))
        rows.append(("prune's limit", clock.pruneLimit.map(Moment.text) ?? "none"))
        return rows.map { name, value in
            name + String(repeating: " ", count: 16 - name.count) + value + "\n"
        }.joined()
    }
}
