import Foundation

/// How long the tests of faults run: short unless the environment says otherwise (`make chaos`).
enum ChaosSize {
    /// Crash points to try at least; nil for the short run.
    static let points = number("CHAOS_POINTS")
    /// Where random choices begin.
    static let seed = UInt64(number("CHAOS_SEED") ?? 1)
    static var isLong: Bool { points != nil }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Adds what was found to the file that `make chaos` sums up, if there is one: a line
    /// `points N lost N doubled N`.
    static func tell(points: Int, _ verdict: Verdict) {
        guard let path = ProcessInfo.processInfo.environment["CHAOS_TALLY"] else { return }
        let line = "points \(points) lost \(verdict.lost.count) doubled \(verdict.doubled.count)\n"
        guard let file = fopen(path, "a") else { return }
        fputs(line, file)
        fclose(file)
    }
}
