import ArgumentParser
import Database
import JSON
import Service
import Storage
import Upkeep

/// `sojourn verify`: reads everything back and compares it with what was written.
struct VerifyCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Look for damage in the data, also while the server runs.",
        discussion: """
            Reads pages, tables, indexes and checksums, and computes anew what follows from other \
            values. Changes nothing. Exits 65 where something is not what was written. Without the \
            master key it looks at all but the digests by which repeats are found.
            """)

    @Flag(
        help: ArgumentHelp(
            "Look instead whether the engine (forward-to) has every batch that is held as handed over."
        ))
    var engine = false
    @OptionGroup var shared: SharedOptions

    func run(_ invocation: Invocation) throws {
        let settings = try invocation.settings()
        if engine { return try verifyEngine(settings, invocation) }
        let bar = ProgressBar(invocation.errors, unit: "batches")
        defer { bar.finish() }
        let outcome: Verification.Outcome
        do {
            outcome = try Administration(settings: settings).verify {
                bar.show($0.done, of: $0.total)
            }
        } catch let error as StorageError {
            if invocation.wantsJSON, let outcome = Verification.Outcome(unreadable: error) {
                invocation.show(members(of: outcome), text: "")
            }
            throw error
        }
        bar.finish()
        invocation.show(members(of: outcome), text: text(of: outcome))
        guard outcome.isGood else {
            let count = outcome.findings.count + outcome.leftOut
            let findings = Counted.text(count, "finding", "findings")
            throw AdminFailure(
                .dataError,
                outcome.needsBackup
                    ? "\(settings.data) is damaged: \(findings); \(StorageError.recovery)"
                    : "\(settings.data) is not as it was left: \(findings), and with each stands what helps"
            )
        }
    }

    private func verifyEngine(_ settings: Settings, _ invocation: Invocation) throws {
        let bar = ProgressBar(invocation.errors, unit: "batches")
        defer { bar.finish() }
        let outcome = try Administration(settings: settings).clusterAndDatabase {
            cluster, database in
            try cluster.verify(database) { bar.show(Int(clamping: $0), of: Int(clamping: $1)) }
        }
        bar.finish()
        invocation.show(
            [
                ("good", .bool(outcome.missing == 0)), ("batches", .integer(outcome.batches)),
                ("missing", .integer(outcome.missing)), ("waiting", .integer(outcome.waiting)),
            ],
            text: outcome.missing == 0
                ? "good: all \(outcome.batches) batches that are held as handed over are in the engine"
                    + (outcome.waiting == 0 ? "" : "; \(outcome.waiting) are not handed over yet")
                    + "\n" : "")
        guard outcome.missing == 0 else {
            throw AdminFailure(
                .dataError,
                "\(outcome.missing) of \(outcome.batches) batches that are held as handed over are not in "
                    + "the engine; 'sojourn forward --again' hands them over again")
        }
    }

    private func members(of outcome: Verification.Outcome) -> [(String, JSONValue)] {
        [
            ("good", .bool(outcome.isGood)), ("batches", .integer(Int64(outcome.batches))),
            ("events", .integer(Int64(outcome.events))),
            ("devices", .integer(Int64(outcome.devices))),
            (
                "findings",
                .array(
                    outcome.findings.map {
                        .object([
                            ("subject", .text($0.subject)), ("fault", .text($0.fault)),
                            ("advice", .text($0.advice)),
                        ])
                    })
            ), ("findings_left_out", .integer(Int64(outcome.leftOut))),
            ("digests_checked", .bool(outcome.hasCheckedDigests)),
        ]
    }

    private func text(of outcome: Verification.Outcome) -> String {
        let read =
            "\(Counted.batches(outcome.batches)) with \(Counted.events(outcome.events)) of "
            + Counted.devices(outcome.devices)
        if outcome.isGood {
            return "good: \(read) \(outcome.batches == 1 ? "is" : "are") what was written"
                + (outcome.missingKey.map {
                    "; digests were not checked: no master key at \(Printable.text($0))"
                } ?? "") + "\n"
        }
        return outcome.findings.map { Printable.text($0.description) + "\n" }.joined()
            + (outcome.leftOut > 0 ? "and \(outcome.leftOut) more\n" : "")
    }
}
