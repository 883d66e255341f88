/// How long nothing is posted after a failure (client.md §5). Times are milliseconds.
package struct Backoff: Sendable {
    /// The most after the first failure; it doubles with each in a row.
    package var unit: Int64 = 1000
    /// The most after any failure.
    package var cap: Int64 = 300_000
    /// The least after a refusal that somebody has to mend.
    package var hold: Int64 = 3_600_000

    /// The longest that an answer may ask for.
    package static let longestAsked: Int64 = 86_400_000

    package init() {}

    /// - Parameters:
    ///   - failures: In a row, this one included.
    ///   - asked: What `Retry-After` says; nil where it says nothing.
    ///   - draw: Evenly drawn from 0 to 1.
    package func wait(
        afterFailures failures: Int64, isHold: Bool, asked: Int64?, draw: Double
    ) -> Int64 {
        let own: Int64
        if isHold {
            own = Self.stretched(hold, draw)
        } else {
            let most = min(unit << min(max(failures, 1) - 1, 20), cap)
            own = most - Int64(Double(most) / 2 * draw)
        }
        guard let asked, asked > (isHold ? hold : own) else { return own }
        return Self.stretched(min(asked, Self.longestAsked), draw)
    }

    /// Up to a quarter more.
    package static func stretched(_ wait: Int64, _ draw: Double) -> Int64 {
        wait + Int64(Double(wait) / 4 * draw)
    }
}

/// A wait as the journal holds it: a restart changes neither the count nor the moment.
package struct Wait: Sendable, Equatable {
    /// Failures in a row.
    package var failures: Int64
    /// The device's clock when something may be posted again; 0 for at once.
    package var until: Int64
    /// How long the wait was when it was set.
    package var span: Int64
    /// What was refused with a hold, by app, key, token and server; 0 if it is none.
    package var held: UInt64

    package init(failures: Int64, until: Int64, span: Int64, held: UInt64) {
        self.failures = failures
        self.until = until
        self.span = span
        self.held = held
    }

    /// The longest that an answer brings about: what a file says beyond it is not waited for.
    private static let longest = Backoff.stretched(Backoff.longestAsked, 1)

    package static let none = Wait(failures: 0, until: 0, span: 0, held: 0)

    /// What is left of it for a client that reads it now. A moment further off than the wait that set it
    /// means that the clock was set back.
    package func remaining(at now: Int64, configuration: UInt64) -> Int64 {
        if held != 0, held != configuration { return 0 }
        let rest = until - now
        return rest > span || rest < 0 ? 0 : min(rest, Self.longest)
    }
}
