import Foundation

/// How long tests wait. The machine that runs them may be slow and have much else to do: a bound tells
/// what comes from what never does, and not how fast it is.
package enum Patience {
    /// For what must come.
    package static let most: Duration = .seconds(90)
    /// For what must not wait until something runs out. Whatever could run out is to take longer.
    package static let prompt: Duration = .seconds(20)
}

/// Polls until `condition` holds, for as long as `Patience.most`.
/// - Returns: whether it came to hold
package func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + Patience.most
    while try !condition() {
        if ContinuousClock.now > end { return false }
        usleep(1000)
    }
    return true
}
