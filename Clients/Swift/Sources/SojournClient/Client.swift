import Core
import Foundation

/// A client of one app: its inbox, and the one queue on which everything else happens.
///
/// What is below "On the queue" is touched there alone, which is what makes it Sendable.
package final class Client: @unchecked Sendable {
    /// How long the queue leaves calls in memory, so that many share one write, in nanoseconds.
    private static let pause: Int64 = 2_000_000

    private let inbox = Inbox()
    let queue = Worker()

    // MARK: On the queue

    var configuration: Configuration?
    var clock = Clock()
    var sessions = Sessions(timeout: 0)
    var journal: Journal?
    /// Calls that found no room, of which no line tells yet.
    private var unheld: Int64 = 0
    let uploads = Uploads()

    package init() {}

    // MARK: Calls

    /// Starts: from now on the queue takes what is called. A second start is ignored.
    package func start(_ configuration: Configuration) {
        let clock = Clock()
        queue.run { [self] in
            guard self.configuration == nil else {
                return configuration.log("a second start is ignored")
            }
            guard uploads.configure(configuration) else {
                return configuration.log("cannot start: the key or the server is none")
            }
            self.configuration = configuration
            self.clock = clock
            sessions = Sessions(timeout: configuration.sessionTimeout)
            inbox.start()
            load()
            drain()
        }
    }

    /// An event; what breaks a rule is logged, and counted as dropped.
    @inline(__always)
    package func event(_ name: String, _ attributes: [String: Value], isOwn: Bool = false) {
        put(.event(name: name, attributes: attributes, isOwn: isOwn))
    }

    package func completed(_ content: String, then: (@Sendable (Bool) -> Void)?) {
        guard isEnabled else {
            if let then { DispatchQueue.main.async { then(false) } }
            return
        }
        put(.completed(content: content, then: then))
    }

    package func foreground(then: @escaping @Sendable () -> Void = {}) {
        put(.foreground(then: then))
    }

    /// `then` is called when the upload is over, its budget at the latest.
    package func background(then: @escaping @Sendable () -> Void = {}) {
        put(.background(then: then), isUrgent: true)
    }

    /// `then` is called when all that was called is on the disk.
    package func terminate(then: @escaping @Sendable () -> Void) {
        put(.terminate(then: then), isUrgent: true)
    }

    /// `then` is called when all calls before it are appended.
    package func sync(then: @escaping @Sendable () -> Void) {
        put(.sync(then: then), isUrgent: true)
    }

    package func forget(then: @escaping @Sendable () -> Void = {}) {
        tell(inbox.clear(.forget(then: then)), isUrgent: true)
    }

    /// A line for a developer.
    package func note(_ line: String) { queue.run { [self] in log(line) } }

    package var isEnabled: Bool { inbox.isEnabled }

    package func enable(_ isEnabled: Bool, then: @escaping @Sendable () -> Void = {}) {
        let call = Inbox.Call.enable(isEnabled, then: then)
        if isEnabled {
            inbox.isEnabled = true
            put(call, isUrgent: true)
        } else {
            tell(inbox.clear(call, isEnabled: false), isUrgent: true)
        }
    }

    /// Tries to upload now, within so many milliseconds; `then` says whether nothing waits.
    package func flush(within milliseconds: Int64, then: @escaping @Sendable (Bool) -> Void) {
        let deadline = Clock.monotonic() + milliseconds * 1_000_000
        queue.run { [self] in
            drain()
            open(Uploads.Window(deadline: deadline, finish: then))
        }
    }

    package func status(then: @escaping @Sendable (Status) -> Void) {
        sync { [self] in then(status) }
    }

    @inline(__always)
    private func put(_ call: Inbox.Call, isUrgent: Bool = false) {
        tell(inbox.put(call), isUrgent: isUrgent)
    }

    private func tell(_ isNeeded: Bool, isUrgent: Bool) {
        if isUrgent {
            queue.run { [self] in drain() }
        } else if isNeeded {
            queue.run(at: Clock.monotonic() + Self.pause) { [self] in drain() }
        }
    }
}

// MARK: On the queue

extension Client {
    func log(_ line: String) { configuration?.log(line) }

    private func load() {
        guard let configuration, journal == nil else { return }
        let folder = configuration.isDebug ? configuration.folder + "/debug" : configuration.folder
        let resource = Device.resource(version: configuration.version)
        // A call of the system that fails once is not a disk that fails.
        for attempt in 1...3 {
            do throws(FileFailure) {
                let journal = try Journal(
                    folder: folder, limit: configuration.journalLimit, resource: resource)
                self.journal = journal
                Storage.protect(folder)
                uploads.resume(journal.ledger)
                if !journal.ledger.isEnabled {
                    _ = inbox.clear(.sync {}, isEnabled: false)
                }
                begin()
                return
            } catch {
                if attempt == 3 { log("the journal cannot be opened: \(error)") }
            }
        }
        queue.run(at: Clock.monotonic() + 1_000_000_000) { [self] in
            load()
            drain()
        }
    }

    /// Appends what was called, in its order.
    private func drain() {
        guard configuration != nil else { return }
        guard let journal else {
            // Nothing can be appended yet; whoever waits for it must not wait for ever.
            return
        }
        while let batch = inbox.take() {
            var lines = Journal.Lines()
            unheld += batch.dropped
            for entry in batch.entries { handle(entry, journal, &lines) }
            append(&lines, journal)
        }
        considerUpload()
    }

    private func handle(_ entry: Inbox.Entry, _ journal: Journal, _ lines: inout Journal.Lines) {
        switch entry.call {
        case .event(let name, let attributes, let isOwn):
            guard journal.ledger.isEnabled else { return }
            record(name, attributes, entry.moment, isOwn: isOwn, journal, &lines)
        case .completed(let content, let then):
            guard journal.ledger.isEnabled else { return }
            complete(content, then, entry.moment, journal, &lines)
        case .foreground(let then):
            let hadSomething = journal.hasSomething || !lines.bytes.isEmpty
            let change = sessions.foreground(
                at: entry.moment / 1_000_000, newID: RandomID.make())
            if let change, journal.ledger.isEnabled {
                record(change, entry.moment, journal, &lines)
            }
            uploads.isForeground = true
            uploads.isWanted = uploads.isWanted || hadSomething
            then()
        case .background(let then):
            endSession(entry.moment, journal, &lines)
            uploads.isForeground = false
            guard let configuration else { return then() }
            let deadline = entry.moment + configuration.budget * 1_000_000
            open(Uploads.Window(deadline: deadline) { _ in then() })
        case .terminate(let then):
            endSession(entry.moment, journal, &lines)
            then()
        case .enable(let isEnabled, let then):
            append(&lines, journal)
            enable(isEnabled, journal)
            then()
        case .forget(let then):
            append(&lines, journal)
            uploads.abandon()
            repeated { () throws(FileFailure) in try journal.wipe(forgets: true) }
            then()
        case .sync(let then):
            append(&lines, journal)
            then()
        }
    }

    private func enable(_ isEnabled: Bool, _ journal: Journal) {
        if isEnabled {
            inbox.isEnabled = true
            repeated { () throws(FileFailure) in
                try journal.step { (ledger) throws(FileFailure) in ledger.isEnabled = true }
            }
        } else {
            uploads.abandon()
            repeated { () throws(FileFailure) in
                try journal.wipe(forgets: false, isEnabled: false)
            }
        }
    }

    /// Tries something a few times, that a user has asked for.
    private func repeated(_ body: () throws(FileFailure) -> Void) {
        for attempt in 1...3 {
            do throws(FileFailure) {
                return try body()
            } catch {
                if attempt == 3 { log("\(error)") }
            }
        }
    }

    private func endSession(
        _ moment: Int64, _ journal: Journal, _ lines: inout Journal.Lines
    ) {
        let change = sessions.background(at: moment / 1_000_000)
        if let change, journal.ledger.isEnabled { record(change, moment, journal, &lines) }
        append(&lines, journal)
        do throws(FileFailure) { try journal.sync() } catch { log("\(error)") }
    }

    private func record(
        _ change: Sessions.Change, _ moment: Int64, _ journal: Journal,
        _ lines: inout Journal.Lines
    ) {
        add(change.name, [:], moment, session: change.id, journal, &lines)
    }

    private func record(
        _ name: String, _ attributes: [String: Value], _ moment: Int64, isOwn: Bool,
        _ journal: Journal, _ lines: inout Journal.Lines
    ) {
        if let rule = EventRule.broken(name: name, attributes: attributes, isOwn: isOwn) {
            log("a call is refused: \(rule.rawValue)")
            lines.drop(1)
            return
        }
        add(name, attributes, moment, session: sessions.current, journal, &lines)
    }

    private func complete(
        _ content: String, _ then: (@Sendable (Bool) -> Void)?, _ moment: Int64,
        _ journal: Journal, _ lines: inout Journal.Lines
    ) {
        let events = lines.events
        record(
            "content.complete", ["content.id": .string(content)], moment, isOwn: false, journal,
            &lines)
        let isFirst =
            lines.events > events || lines.bytes.isEmpty
            ? journal.ledger.complete(content) : false
        append(&lines, journal)
        if let then { DispatchQueue.main.async { then(isFirst) } }
    }

    private func add(
        _ name: String, _ attributes: [String: Value], _ moment: Int64, session: String?,
        _ journal: Journal, _ lines: inout Journal.Lines
    ) {
        var json: [UInt8] = []
        json.reserveCapacity(192)
        Event.append(
            name: name, time: clock.time(at: moment), attributes: attributes, session: session,
            to: &json)
        Line.append(json, isEvent: true, to: &lines.bytes)
        lines.events += 1
        if lines.bytes.count >= min(16_384, journal.limit / 8) { append(&lines, journal) }
    }

    private func append(_ lines: inout Journal.Lines, _ journal: Journal) {
        if unheld > 0 {
            if journal.ledger.isEnabled { lines.drop(unheld) }
            unheld = 0
        }
        guard !lines.bytes.isEmpty else { return }
        do throws(FileFailure) {
            try journal.append(lines)
        } catch {
            log("\(lines.events + lines.drops) events could not be written: \(error)")
        }
        lines = Journal.Lines()
        uploads.appended()
    }

    var status: Status {
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
        status.next = uploads.untilNext / 1_000_000
        return status
    }
}
