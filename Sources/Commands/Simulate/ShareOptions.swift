import ArgumentParser
import Service
import Simulation

/// What happens to how many of the simulated devices, in percent.
struct ShareOptions: ParsableArguments {
    @Option(
        parsing: .unconditional, help: "Percent of devices whose clock is off, by seconds to years."
    )
    var wrongClocks = percent(\.wrongClocks)
    @Option(
        parsing: .unconditional, help: "Percent of devices whose clock is set while the app runs.")
    var setClocks = percent(\.setClocks)
    @Option(parsing: .unconditional, help: "Percent of days that a device is without a network.")
    var offlineDays = percent(\.offlineDays)
    @Option(parsing: .unconditional, help: "Percent of uses that end in a crash or a kill.")
    var kills = percent(\.kills)
    @Option(
        parsing: .unconditional, help: "Percent of requests, or of their answers, that get lost.")
    var lost = percent(\.lost)
    @Option(
        parsing: .unconditional,
        help: "Percent of devices that are replaced by one with a copy of their files.")
    var copies = percent(\.copies)
    @Option(
        parsing: .unconditional, help: "Percent of devices whose journal holds a few events only.")
    var tinyJournals = percent(\.tinyJournals)

    /// As `2` or `1.5`, of what a simulation has of itself.
    private static func percent(_ share: KeyPath<Shares, Int>) -> String {
        let perMyriad = Shares()[keyPath: share]
        return perMyriad % 100 == 0 ? "\(perMyriad / 100)" : "\(Double(perMyriad) / 100)"
    }

    func shares() throws -> Shares {
        var shares = Shares()
        shares.wrongClocks = try perMyriad(wrongClocks, "--wrong-clocks")
        shares.setClocks = try perMyriad(setClocks, "--set-clocks")
        shares.offlineDays = try perMyriad(offlineDays, "--offline-days")
        shares.kills = try perMyriad(kills, "--kills")
        shares.lost = try perMyriad(lost, "--lost")
        shares.copies = try perMyriad(copies, "--copies")
        shares.tinyJournals = try perMyriad(tinyJournals, "--tiny-journals")
        return shares
    }

    private func perMyriad(_ text: String, _ option: String) throws -> Int {
        guard let percent = Double(text), (0...100).contains(percent) else {
            throw AdminFailure(.usage, "\(option) takes percent, from 0 to 100, as 2 or 0.5")
        }
        return Int((percent * 100).rounded())
    }
}
