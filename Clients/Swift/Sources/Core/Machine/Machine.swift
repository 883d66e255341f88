import JSON

/// The client's state machine: what calls, answers and the clock make of sessions, the journal and
/// uploads (client.md §2 to §5). Used by one thread, which calls `tick` at the moment that `alarm` names.
package final class Machine<System: Surroundings> {
    static var millisecond: Int64 { 1_000_000 }

    let system: System
    let disk: System.Folder
    let limits: Limits
    let clock: Clock
    /// Of app, key, token and server, so that another one ends a hold; never 0.
    let fingerprint: UInt64
    /// The resource of what is recorded, as JSON.
    private let resource: [UInt8]
    var sessions: Sessions
    var uploads = Uploads<System.Folder.Handle>()
    package private(set) var journal: Journal<System.Folder>?
    /// What a user has asked for and the disk has not taken yet.
    var wishes: [Wish] = []
    /// When a folder that could not be opened is tried again, ns.
    private var reopening: Int64?

    /// Whether the journal is open: before, calls are not taken.
    package var isOpen: Bool { journal != nil }

    /// Opens the journal. A disk that fails is tried again a second later.
    package init(
        _ system: System, disk: System.Folder, limits: Limits, clock: Clock, fingerprint: UInt64,
        resource: [UInt8]
    ) {
        self.system = system
        self.disk = disk
        self.limits = limits
        self.clock = clock
        self.fingerprint = fingerprint
        self.resource = resource
        sessions = Sessions(timeout: limits.sessionTimeout)
        open()
    }

    private func open() {
        reopening = nil
        // A call of the system that fails once is not a disk that fails.
        for attempt in 1...3 {
            do throws(DiskFailure) {
                let journal = try Journal(
                    disk, limit: limits.journal, resource: resource,
                    newID: { [system] in system.newID() })
                try join(journal)
                self.journal = journal
                begin(journal)
                return
            } catch {
                if attempt == 3 { log("the journal cannot be opened: \(error.reason)") }
            }
        }
        reopening = system.monotonic + 1000 * Self.millisecond
    }

    /// Takes the id of the app's group, or gives it the one that has followed a forgotten one.
    private func join(_ journal: Journal<System.Folder>) throws(DiskFailure) {
        let own = journal.ledger.installation
        guard let shared = system.sharedID(orMake: own), shared != own else { return }
        if Ledger.hash(shared) == journal.ledger.forgotten { return system.share(own) }
        try journal.join(shared)
    }

    /// What waits from before goes.
    private func begin(_ journal: Journal<System.Folder>) {
        let rest = journal.ledger.wait.remaining(at: system.wall, configuration: fingerprint)
        uploads.next = system.monotonic + rest * Self.millisecond
        uploads.wait = journal.ledger.wait
        if !journal.ledger.isEnabled { system.isOff() }
        guard journal.hasSomething else { return }
        uploads.isWanted = true
        open(until: system.monotonic + limits.budget * Self.millisecond)
    }

    /// Scalars of a line of the log at most.
    private static var maxLine: Int { 1000 }

    /// One line: a server's words, and what lay in the folder, begin none of their own.
    func log(_ line: String) {
        system.log(Printable.text(String(line.unicodeScalars.prefix(Self.maxLine))))
    }

    /// When `tick` is to be called, in nanoseconds of the monotonic clock; nil for never.
    package var alarm: Int64? {
        guard let reopening else { return uploads.alarm }
        return min(reopening, uploads.alarm ?? reopening)
    }

    /// Does what is due by the clock.
    package func tick() {
        let now = system.monotonic
        if let reopening, reopening <= now { open() }
        expireWindows(at: now)
        if let attempt = uploads.attempt, attempt.end <= now {
            if attempt.isGivenUp {
                posted(attempt.number, .failure("cancelled"))
            } else {
                giveUp(attempt, "no answer in time")
            }
        }
        if let wake = uploads.wake, wake <= now {
            uploads.wake = nil
            considerUpload()
        }
    }

    /// The account.
    package var status: Status {
        guard let journal else { return Status() }
        let counts = journal.ledger.counts
        var status = Status()
        status.accepted = counts.accepted
        status.rejected = counts.rejected
        status.dropped = counts.dropped + journal.waiting.drops + journal.unwritten
        status.deleted = counts.deleted
        status.waiting = journal.waitingEvents
        status.appended =
            status.accepted + status.rejected + status.dropped + status.deleted + status.waiting
        status.failures = journal.ledger.wait.failures
        status.next = max(0, uploads.next - system.monotonic) / Self.millisecond
        return status
    }
}
