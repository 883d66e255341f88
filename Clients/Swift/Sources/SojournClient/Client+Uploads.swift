import Core
import Foundation

/// Uploads, on the client's queue: when one is due, what an answer does (client.md §4 to §6).
extension Client {
    private static let millisecond: Int64 = 1_000_000

    /// The journal is read: what waits from before goes.
    func begin() {
        guard let journal, let configuration, journal.hasSomething else { return }
        uploads.isWanted = true
        open(
            Uploads.Window(
                deadline: Clock.monotonic() + configuration.budget * Self.millisecond, finish: nil))
    }

    /// Uploads what waits until a deadline.
    func open(_ window: Uploads.Window) {
        var window = window
        window.number = uploads.number()
        // Whoever asks now says how long; a start's own window is over.
        if window.finish != nil { uploads.windows.removeAll { $0.finish == nil } }
        uploads.windows.append(window)
        let number = window.number
        queue.run(at: window.deadline) { [self] in expire(number) }
        considerUpload()
    }

    private func expire(_ number: Int) {
        guard let index = uploads.windows.firstIndex(where: { $0.number == number }) else { return }
        let window = uploads.windows.remove(at: index)
        let isOver = uploads.windows.isEmpty && (window.finish != nil || !uploads.isForeground)
        if isOver, let attempt = uploads.attempt, !attempt.isGivenUp {
            giveUp(attempt, "the time for it is over")
        }
        window.finish?(isDone)
    }

    /// Cancels an attempt, which is a failure. Another may begin when this one's connection is closed, or
    /// half a second later.
    private func giveUp(_ attempt: Uploads.Attempt, _ reason: String) {
        attempt.posting.cancel()
        fail(reason)
        queue.cancel(attempt.alarm)
        uploads.attempt?.isGivenUp = true
        let end = Clock.monotonic() + 500 * Self.millisecond
        uploads.attempt?.alarm = queue.run(at: end) { [self] in
            finished(attempt.number, .failure("cancelled"))
        }
    }

    private var isDone: Bool { journal.map { !$0.hasSomething } ?? false }

    private func finishWindows(before moment: Int64? = nil) {
        let isDone = isDone
        let end = moment ?? .max
        let over = uploads.windows.filter { $0.deadline <= end }
        uploads.windows.removeAll { $0.deadline <= end }
        for window in over { window.finish?(isDone) }
    }

    /// Begins an attempt if one is due and may be; otherwise comes back when it is.
    func considerUpload() {
        guard let journal, let configuration else { return }
        if let attempt = uploads.attempt {
            // Nothing more can come of it for those who cannot wait for the next.
            if attempt.isGivenUp { finishWindows(before: uploads.next) }
            return
        }
        guard journal.hasSomething, journal.ledger.isEnabled else {
            uploads.isWanted = false
            return finishWindows()
        }
        let isAsked = uploads.windows.contains { $0.finish != nil }
        guard uploads.isForeground || !uploads.windows.isEmpty || configuration.isDebug else {
            return
        }
        let now = Clock.monotonic()
        let isPending = journal.ledger.frozen != nil || journal.ledger.undone != nil
        let interval = configuration.isDebug ? configuration.debugInterval : configuration.interval
        let ripe = (uploads.oldest ?? now) + interval * Self.millisecond
        guard
            isAsked || uploads.isWanted || isPending || ripe <= now
                || journal.waiting.bytes >= Configuration.threshold
        else { return wake(at: ripe) }
        if uploads.isCountHeld, !isPending, journal.waiting.events == 0 { return finishWindows() }
        guard uploads.next <= now else {
            finishWindows(before: uploads.next)
            return wake(at: uploads.next)
        }
        attempt(journal, configuration)
    }

    /// Only the last one that was asked for counts: each asks for the next.
    private func wake(at moment: Int64) {
        queue.cancel(uploads.wake)
        uploads.wake = queue.run(at: moment) { [self] in considerUpload() }
    }

    // MARK: An attempt

    private func attempt(_ journal: Journal, _ configuration: Configuration) {
        guard let sealer = uploads.sealer, let url = uploads.url else { return }
        guard let lock = journal.lockUploads() else { return retrySoon() }
        guard let body = prepare(journal, sealer) else {
            close(lock)
            return
        }
        let number = uploads.number()
        let limit = Double(configuration.attempt) / 1000
        let posting = uploads.poster.post(
            url, fields: sealer.fields, body: body, limit: limit + 1
        ) { [self] reply in
            queue.run { self.finished(number, reply) }
        }
        let isFirst = journal.ledger.frozen?.batchID == uploads.fresh
        uploads.fresh = nil
        let end = Clock.monotonic() + configuration.attempt * Self.millisecond
        let alarm = queue.run(at: end) { [self] in
            guard let attempt = uploads.attempt, attempt.number == number else { return }
            giveUp(attempt, "no answer in time")
        }
        uploads.attempt = Uploads.Attempt(
            number: number, posting: posting, lock: lock, alarm: alarm, isFirst: isFirst)
    }

    /// The body of the batch on its way, which is frozen if none is; nil where there is none to post.
    private func prepare(_ journal: Journal, _ sealer: Sealer) -> [UInt8]? {
        do throws(FileFailure) {
            if journal.ledger.frozen == nil {
                try journal.freeze(fits: sealer.excess)
                guard let frozen = journal.ledger.frozen else {
                    queue.run { [self] in considerUpload() }
                    return nil
                }
                uploads.fresh = frozen.batchID
                uploads.hasMore = journal.waiting.events > 0 || journal.ledger.undone != nil
                uploads.frozen()
            }
            let text = try journal.frozenText { isOwn in isOwn ? clock.now : Clock.wall() }
            guard let text else {
                log("a batch cannot be read any more: its events are dropped")
                try journal.step { (ledger) throws(FileFailure) in ledger.refuse() }
                queue.run { [self] in considerUpload() }
                return nil
            }
            if let body = sealer.seal(text) { return body }
        } catch {
            log("nothing can be uploaded: \(error)")
        }
        retrySoon()
        return nil
    }

    /// Something of our own is in the way.
    private func retrySoon() {
        let moment = Clock.monotonic() + 200 * Self.millisecond
        finishWindows(before: moment)
        wake(at: moment)
    }

    private func end(_ attempt: Uploads.Attempt) {
        close(attempt.lock)
        queue.cancel(attempt.alarm)
        uploads.attempt = nil
    }

    private func finished(_ number: Int, _ reply: Reply) {
        guard let attempt = uploads.attempt, attempt.number == number else { return }
        end(attempt)
        guard !attempt.isGivenUp else { return considerUpload() }
        switch reply {
        case .failure(let reason): fail(reason)
        case .answer(let status, let fields, let body):
            answered(attempt, status, fields, body)
        }
        considerUpload()
    }

    private func answered(
        _ attempt: Uploads.Attempt, _ status: Int, _ fields: [String: String], _ body: [UInt8]
    ) {
        guard let journal, let configuration, let frozen = journal.ledger.frozen else { return }
        let mediaType = (fields["content-type"] ?? "").prefix { $0 != ";" }
            .trimmingCharacters(in: .whitespaces).lowercased()
        let asked = RetryAfter.wait(
            fields["retry-after"], date: fields["date"], now: Clock.wall())
        let answer = Answer.judge(
            status: status, mediaType: mediaType, body: body, expecting: .id(frozen.batchID),
            isDryRun: configuration.isDebug)
        switch answer {
        case .stored(let receipt):
            tell(receipt.verdicts, of: configuration.isDebug ? journal.frozenNames() : [])
            settle(journal) { $0.settle(rejected: receipt.rejected) }
            uploads.isWanted = uploads.hasMore
        case .refused(let refusal): refused(attempt, frozen, journal, refusal, asked)
        case .unusable(let answer): fail(answer.reason, asked: asked)
        }
    }

    private func refused(
        _ attempt: Uploads.Attempt, _ frozen: Ledger.Frozen, _ journal: Journal,
        _ refusal: Answer.Refusal, _ asked: Int64?
    ) {
        let code = refusal.code
        switch code.treatment {
        case .drop:
            log(
                "a batch of \(frozen.events) events is refused and dropped: "
                    + "\(code.name): \(refusal.detail)")
            settle(journal) { $0.refuse() }
            uploads.isWanted = uploads.hasMore
            uploads.isCountHeld = frozen.events == 0
        case .split: split(journal, code.name, asked)
        // It may be stored already where an earlier attempt was made.
        case .retrySmaller where attempt.isFirst: split(journal, code.name, asked)
        case .hold:
            fail("it is refused for now: \(code.name)", asked: asked, isHold: true)
        case .retry, .retrySmaller:
            fail("status \(code.status) \(code.name)", asked: asked)
        }
    }

    private func tell(_ verdicts: [Answer.Verdict], of names: [String]) {
        for (index, name) in names.enumerated() {
            if let verdict = verdicts.first(where: { $0.index == index }) {
                log("verdict \(name) \(verdict.code) \(verdict.detail)")
            } else {
                log("verdict \(name) accepted")
            }
        }
    }

    private func split(_ journal: Journal, _ code: String, _ asked: Int64?) {
        log("a batch is too large and is split: \(code)")
        settle(journal) { $0.undo() }
        uploads.isWanted = true
        guard let asked else { return }
        uploads.next =
            Clock.monotonic() + Backoff.stretched(asked, .random(in: 0...1)) * Self.millisecond
    }

    /// One step that ends a batch. Where the disk does not take it the batch goes again later, and the
    /// server knows it.
    private func settle(_ journal: Journal, _ change: (inout Ledger) -> Void) {
        for _ in 1...3 {
            do throws(FileFailure) {
                try journal.step { (ledger) throws(FileFailure) in change(&ledger) }
                uploads.next = 0
                return
            } catch {
                log("an answer cannot be noted: \(error)")
            }
        }
        fail("the journal cannot be written")
    }

    private func fail(_ reason: String, asked: Int64? = nil, isHold: Bool = false) {
        guard let journal, let configuration else { return }
        log("an upload failed: \(reason)")
        let failures = journal.ledger.wait.failures + 1
        let span = configuration.backoff.wait(
            afterFailures: failures, isHold: isHold, asked: asked, draw: .random(in: 0...1))
        uploads.next = Clock.monotonic() + span * Self.millisecond
        let wait = Wait(
            failures: failures, until: Clock.wall() + span, span: span,
            held: isHold ? uploads.fingerprint : 0)
        do throws(FileFailure) {
            try journal.step { (ledger) throws(FileFailure) in ledger.wait = wait }
        } catch {
            log("a failure cannot be noted: \(error)")
        }
    }
}
