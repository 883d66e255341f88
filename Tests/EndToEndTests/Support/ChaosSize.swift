import Foundation

@testable import Upkeep

/// How long the tests of kills, repeats and backups run: short unless the environment says otherwise
/// (`make chaos`).
enum ChaosSize {
    /// `kill -9` in all; nil for the short run.
    static let kills = number("CHAOS_KILLS")
    /// Batches that come twice; nil for the short run.
    static let repeats = number("CHAOS_REPEATS")
    /// Events that are there when a backup is made under load; nil for the short run.
    static let backup = number("CHAOS_BACKUP")

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Adds what was found to the file that `make chaos` sums up, if there is one.
    static func tell(kills: Int, _ findings: BatchLedger.Findings) {
        guard let path = ProcessInfo.processInfo.environment["CHAOS_TALLY"],
            let file = fopen(path, "a")
        else { return }
        let (lost, doubled) = (findings.lost.count, findings.doubled.count)
        fputs("kills \(kills) lost \(lost) doubled \(doubled)\n", file)
        fclose(file)
    }
}
