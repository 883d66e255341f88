@testable import Core

/// A process that uses a disk in memory: it counts its operations, and knows at which one it is killed or
/// its disk fails. A dead process's operations do nothing.
final class SimulatedProcess {
    enum Fate: Sendable {
        case survives
        /// Killed before an operation, or within it: of what an append writes that share is written; a
        /// replaced file is written beside the old one, or, where the share is 1, renamed and not synced.
        case killed(at: Int, share: Double)
        /// These operations fail; of what an append writes that share is written.
        case failing(Range<Int>, share: Double)
        /// Those of these operations that need room fail.
        case full(Range<Int>, share: Double)
    }

    /// An operation that changes the disk.
    struct Change {
        let operation: Int
        /// Whether a part of it may happen.
        let hasParts: Bool
    }

    let id: Int
    let fate: Fate
    private(set) var operations = 0
    /// Those of them that change what is on the disk or what a power cut leaves: a kill before another one
    /// is a kill before the next of these.
    private(set) var changes: [Change] = []
    private(set) var isDead = false
    /// Called when it is killed.
    var died: () -> Void = {}
    /// Gives other processes a turn before each operation.
    var pause: () -> Void = {}

    /// - Parameter earlier: A process whose operations are counted on.
    init(id: Int, fate: Fate = .survives, after earlier: SimulatedProcess? = nil) {
        self.id = id
        self.fate = fate
        operations = earlier?.operations ?? 0
        changes = earlier?.changes ?? []
    }

    private static let dead = DiskFailure("the process is dead")

    /// Counts an operation, which may happen if this returns.
    ///
    /// - Parameters:
    ///   - changes: Whether it changes the disk.
    ///   - needsRoom: Whether it fails on a full disk; it changes it, too.
    ///   - part: Does a share of what the operation would do.
    func begin(
        changes isChange: Bool = false, needsRoom: Bool = false, part: ((Double) -> Void)? = nil
    ) throws(DiskFailure) {
        pause()
        guard !isDead else { throw Self.dead }
        operations += 1
        if isChange || needsRoom {
            changes.append(Change(operation: operations, hasParts: part != nil))
        }
        switch fate {
        case .killed(let operation, let share) where operation == operations:
            if share > 0 { part?(share) }
            kill()
            throw Self.dead
        case .failing(let range, let share) where range.contains(operations):
            if share > 0 { part?(share) }
            throw DiskFailure("Input/output error")
        case .full(let range, let share) where needsRoom && range.contains(operations):
            if share > 0 { part?(share) }
            throw DiskFailure("No space left on device")
        default: return
        }
    }

    /// Counts an operation that cannot fail.
    func beginUnfailing() {
        pause()
        guard !isDead else { return }
        operations += 1
        if case .killed(let operation, _) = fate, operation == operations { kill() }
    }

    /// Another process has what this one waits for.
    func wait() throws(DiskFailure) {
        guard !isDead else { throw Self.dead }
        pause()
    }

    func kill() {
        guard !isDead else { return }
        isDead = true
        died()
    }
}
