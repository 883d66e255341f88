import FoundationEssentials
import Synchronization

/// What this program is.
package enum BuildInfo {
    package static let version = "0.1.0"
    /// The day of the version, 2026-11-21T00:00:00Z in milliseconds: no clock that is right is before.
    package static let date: Int64 = 1_795_219_200_000
}

/// How many processors the process may use.
package enum ProcessorCount {
    /// Those it is bound to, not those there are.
    package static var usable: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}

/// Raised once, when the program is to end. Usable from any thread.
final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
}
