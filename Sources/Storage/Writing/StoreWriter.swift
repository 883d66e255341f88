import Columns
import Database
import Dispatch
import Events
import Synchronization

/// The only writer. It takes what waits when the last commit has ended, up to an end (`GroupEnd`), and commits it
/// as one: no timer, so a lone batch waits for nobody and a crowd shares one sync. Answers
/// leave when the commit has returned.
package final class StoreWriter: Sendable {
    struct Waiting {
        /// By app.
        var requests = Turns<Int64, PendingRequest>()
        /// How many the group at hand has, until the writer is done with it.
        var beingWritten = 0
        /// How many requests it ends.
        var ended = 0
        /// Work is on the queue, or will be, that takes what waits.
        var isScheduled = false
        var isClosing = false
        var readiness: Readiness = .ready
        /// Since when a caller has waited for the group that is due or being written, or for
        /// administrative work; nil: nobody waits.
        var owesSince: UInt64?
        /// The steps that were counted when the writer was last asked, and since when there are so many.
        var seen: (steps: UInt64, since: UInt64) = (0, 0)

        /// Takes the first batch of an app's line; its request stays as long as it has more.
        mutating func takeFirst(of app: Int64) -> PendingBatch? {
            guard let request = requests.first(of: app) else { return nil }
            let batch = request.first
            if request.take() {
                _ = requests.takeFirst(of: app)
                ended += 1
            }
            return batch
        }
    }

    let queue = DispatchQueue(label: "sojourn.writer")
    let session: WriteSession
    let limits: WriteLimits
    let observer: WriterObserver
    let waiting = Mutex(Waiting())
    let notices = Mutex(FailureNotices())
    let hasLongWAL = Atomic(false)
    /// It is to be looked at the WAL in a while.
    let isWALLookScheduled = Atomic(false)
    /// Requests that are being stored part by part.
    let requestsInParts = Atomic(0)
    /// A slice of merges is on the queue.
    let isMergeScheduled = Atomic(false)
    let walListeners = Mutex<[@Sendable () -> Void]>([])
    /// Within which the replies of a group are given.
    let surrounding = Mutex<Surrounding?>(nil)

    init(session: WriteSession, limits: WriteLimits, observer: WriterObserver) {
        self.session = session
        self.limits = limits
        self.observer = observer
    }

    /// Opens the database. A reader that blocks the WAL does not block the start: the writer then
    /// fails until it is gone, as it would later.
    /// - Throws: whatever else keeps it from writing.
    func start() throws(StorageError) {
        dispatchPrecondition(condition: .notOnQueue(queue))
        let result = queue.sync {
            // What it packs of what a killed process left may have to be merged.
            defer { mergeLater() }
            return attempt { () throws(StorageError) in try session.start() }
        }
        if case .failure(let error) = result, error.kind != .busy { throw error }
    }

    /// Hands a batch over. From any thread; never waits.
    /// - Parameter reply: called once, on the writer's queue, when the batch is on disk or will not be
    /// - Returns: nil if it was taken; else why not, and `reply` is never called.
    package func submit(
        _ batch: consuming AcceptedBatch, reply: @escaping @Sendable (WriteOutcome) -> Void
    ) -> WriteRefusal? {
        if let error = BatchInserter.check(batch) {
            queue.async {
                self.report(error)
                reply(.failed(.internalError))
            }
            return nil
        }
        let app = batch.app
        let pending = PendingBatch(batch, reply: reply)
        return submit(PendingRequest(pending), of: app, limit: limits.pendingBatches)
    }

    /// Hands over batches of one request: they take one place in the queue, and are stored one after another, perhaps
    /// with several commits. From any thread; never waits.
    /// - Parameters:
    ///   - batches: all of one app, at least one
    ///   - isContinued: the request has had its place: some of its batches are stored
    ///   - reply: called once, on the writer's queue, when it is known what became of each
    /// - Returns: as above
    package func submit(
        _ batches: [AcceptedBatch], isContinued: Bool,
        reply: @escaping @Sendable ([WriteOutcome]) -> Void
    ) -> WriteRefusal? {
        guard let app = batches.first?.app else { return nil }
        let collector = OutcomeCollector(count: batches.count, reply: reply)
        let pending = batches.enumerated().map { index, batch in
            PendingBatch(batch) { collector.note($0, of: index) }
        }
        for batch in batches {
            guard let error = BatchInserter.check(batch) else { continue }
            queue.async {
                self.report(error)
                for batch in pending { batch.reply(.failed(.internalError)) }
            }
            return nil
        }
        return submit(
            PendingRequest(pending[0], others: Array(pending.dropFirst())), of: app,
            limit: isContinued ? .max : limits.pendingBatches)
    }

    /// - Parameter limit: how many may wait
    private func submit(
        _ request: PendingRequest, of app: Int64, limit: Int
    ) -> WriteRefusal? {
        var mustSchedule = false
        var displaced: PendingRequest?
        let refusal: WriteRefusal? = waiting.withLock { waiting in
            if waiting.isClosing { return .closing }
            switch waiting.requests.makeRoom(for: app, limit: limit) {
            case .free: break
            case .insteadOf(let last): displaced = last
            case .none: return .overloaded
            }
            waiting.requests.append(request, of: app)
            mustSchedule = !waiting.isScheduled
            waiting.isScheduled = true
            if mustSchedule { waiting.owesSince = Deadline.now }
            return nil
        }
        if mustSchedule { queue.async { self.writeGroup() } }
        if let displaced { queue.async { displaced.reply(.failed(.overloaded)) } }
        return refusal
    }

    /// So many batches wait for the writer that anything that takes processors from it makes them wait
    /// longer. From any thread; never waits.
    package var isCrowded: Bool {
        waiting.withLock { $0.requests.count + $0.beingWritten >= Self.crowd }
    }

    /// A device alone, or ten of them, never make one; 64 connections that always have one batch under
    /// way nearly always do.
    private static let crowd = 8

    /// Batches that wait for their commit to begin; those of one request count as one.
    package var pendingBatches: Int { waiting.withLock { $0.requests.count } }

    /// Readers block the WAL, and it is several times as long as it should be. From any thread; never
    /// waits.
    package var isWALLong: Bool { hasLongWAL.load(ordering: .relaxed) }

    /// A request begins that is stored part by part, until what is returned is let go. As long as there is one the WAL
    /// is moved to the file more rarely, so that others have one wait in place of many.
    package func beginParts() -> PartsHold {
        requestsInParts.add(1, ordering: .relaxed)
        return PartsHold { [self] in
            let left = requestsInParts.subtract(1, ordering: .relaxed).newValue
            if left == 0 { shortenWAL() }
        }
    }

    /// Has the WAL moved soon, as far as readers allow. From any thread; never waits.
    package func shortenWAL() {
        queue.async {
            if case .closed = self.readiness { return }
            self.shortenWAL(isAsked: true)
        }
    }

    /// Has `action` called whenever the WAL is no longer long, on the writer's queue: be quick.
    package func whenWALIsShort(_ action: @escaping @Sendable () -> Void) {
        walListeners.withLock { $0.append(action) }
    }

    /// Whether a batch could be stored now. From any thread; never waits.
    package var readiness: Readiness { waiting.withLock { $0.readiness } }

    /// For how long the writer has got nothing done although batches or administrative work wait for
    /// it, in nanoseconds, as far as asking shows: no row, no page of the WAL, no end of a sync. 0
    /// where nobody waits. From any thread; never waits.
    package var stall: UInt64 {
        let now = Deadline.now
        return waiting.withLock { waiting in
            let steps = session.steps.value
            if steps != waiting.seen.steps { waiting.seen = (steps, now) }
            guard let since = waiting.owesSince else { return 0 }
            let last = max(since, waiting.seen.since)
            return now > last ? now - last : 0
        }
    }

    /// Writes what waits, moves the WAL to the file and closes. Batches that come later are refused.
    /// Where a reader blocks the WAL it stays, and the next start moves it.
    package func close() throws(StorageError) {
        dispatchPrecondition(condition: .notOnQueue(queue))
        waiting.withLock { $0.isClosing = true }
        let result: Result<Void, StorageError> = queue.sync {
            if case .closed = readiness { return .success(()) }
            while pendingBatches > 0 { writeOneGroup() }
            defer {
                waiting.withLock { waiting in
                    waiting.readiness = .closed
                    waiting.beingWritten = 0
                }
            }
            do throws(StorageError) {
                return .success(try session.close())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}

extension StoreWriter {
    /// One group, then back to the end of the queue: administrative work gets its turn.
    private func writeGroup() {
        dispatchPrecondition(condition: .onQueue(queue))
        writeOneGroup()
        mergeLater()
        let goesOn = waiting.withLock { waiting in
            waiting.beingWritten = 0
            waiting.isScheduled = !waiting.requests.isEmpty
            waiting.owesSince =
                waiting.isScheduled ? Deadline.now : nil
            return waiting.isScheduled
        }
        if goesOn { queue.async { self.writeGroup() } }
    }

    /// A piece of what a batch of many words needs, then what may be stored: so neither waits for all
    /// of the other.
    private func writeOneGroup() {
        // After the answers: only the next group waits for it.
        defer { shortenWAL(isAsked: false) }
        let hasPrepared = prepareNext()
        var unprepared: Set<Int64> = []
        waiting.withLock { $0.ended = 0 }
        guard let first = take(isFirst: true, &unprepared) else { return }
        let begin = Deadline.now
        // Where batches are prepared before each group, the fewer groups the better.
        let groupEnd = GroupEnd(
            begin: begin, lastCommit: hasPrepared ? .max : session.lastCommit, limits)
        let wasFailing = session.trouble != nil
        var count = 1
        let result = session.store(first) {
            let isReached = groupEnd.isReached(
                count, hasHalf: { waiting.withLock { $0.ended >= $0.requests.count } },
                at: Deadline.now)
            if isReached { return nil }
            count += 1
            return take(isFirst: false, &unprepared)
        }
        let end = Deadline.now
        follow(wasFailing: wasFailing, error: result.error)
        // A bad batch does not stop the writer, but a person should look at it.
        if let error = result.error, session.trouble == nil { report(error) }
        var repeats = 0
        var failures = 0
        for outcome in result.batches {
            switch outcome {
            case .stored, .storedInPart: break
            case .duplicate, .duplicateInPart: repeats += 1
            case .failed: failures += 1
            }
        }
        reply(to: result)
        if failures < result.group.count {
            observer.committed(
                .init(
                    batches: result.group.count - failures, repeats: repeats,
                    nanoseconds: end - begin))
        }
    }

    /// The next batch that may be stored, app by app.
    /// - Parameters:
    ///   - isFirst: of the group
    ///   - unprepared: apps whose first batch may not, in this group
    private func take(isFirst: Bool, _ unprepared: inout Set<Int64>) -> PendingBatch? {
        while true {
            let next: (batch: PendingBatch, isTaken: Bool)? = waiting.withLock { waiting in
                let found = waiting.requests.look(
                    where: { !unprepared.contains($0.first.batch.app) },
                    unless: { !isFirst && $0.first.batch.text.count >= limits.largeBatch })
                guard let batch = found?.first else { return nil }
                guard !needsGlance(batch) else { return (batch, false) }
                waiting.beingWritten += 1
                _ = waiting.takeFirst(of: batch.batch.app)
                return (batch, true)
            }
            guard let (next, isTaken) = next else { return nil }
            if isTaken { return next }
            let app = next.batch.app
            guard isReady(next) else {
                unprepared.insert(app)
                continue
            }
            return waiting.withLock { waiting in
                waiting.beingWritten += 1
                // It is the first of its line still: only this queue takes it.
                return waiting.takeFirst(of: app)
            }
        }
    }

    /// Whether a batch may join the group, now or after a glance.
    private func isReady(_ next: PendingBatch) -> Bool {
        let needsWords = next.words > limits.wordsInGroup
        let glance = Deadline.after(limits.glanceNanoseconds)
        return session.isCompared(next, orBy: glance)
            && (!needsWords || session.isPrepared(next, orBy: glance))
    }

    /// Whether more than its own transaction may be needed for it.
    private func needsGlance(_ next: PendingBatch) -> Bool {
        next.words > limits.wordsInGroup || !next.batch.fingerprints.isEmpty
    }

    private func isPrepared(_ pending: PendingBatch) -> Bool {
        !pending.isBeingCompared
            && (pending.words <= limits.wordsInGroup || session.isPrepared(pending))
    }

    /// Does a piece of what the next app's first batch needs. Those after it wait until it is stored:
    /// names count in that order.
    /// - Returns: whether there was something to do
    private func prepareNext() -> Bool {
        let next = waiting.withLock { waiting in
            waiting.requests.look { !isPrepared($0.first) }?.first
        }
        guard let next else { return false }
        let deadline = Deadline.after(limits.sliceNanoseconds)
        let result = attempt { () throws(StorageError) in
            try session.prepare(next, until: deadline)
        }
        guard case .failure(let error) = result else { return true }
        if session.trouble == nil { report(error) }
        // It is the first of its line still: only this queue takes it.
        _ = waiting.withLock { $0.takeFirst(of: next.batch.app) }
        next.reply(.failed(WriteFailure(error)))
        return true
    }
}
