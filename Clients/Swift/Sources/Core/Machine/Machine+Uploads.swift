/// When an upload is due, and how long it may last (client.md §4 and §6).
extension Machine {
    /// Tries to upload what waits until a deadline of the monotonic clock (ns); `then` says whether nothing
    /// waits.
    package func flush(until deadline: Int64, then: @escaping @Sendable (Bool) -> Void) {
        open(until: deadline, finish: then)
    }

    /// Uploads what waits until a deadline. An attempt that runs is given up a little before, so that its
    /// failure is noted within the time.
    func open(until deadline: Int64, finish: (@Sendable (Bool) -> Void)? = nil) {
        // This call sets the deadline now; the start's own window is over.
        if finish != nil { uploads.windows.removeAll { $0.finish == nil } }
        let rest = max(0, deadline - system.monotonic)
        let margin = min(rest / 10, 100 * Self.millisecond)
        uploads.windows.append(.init(deadline: deadline - margin, finish: finish))
        considerUpload()
    }

    /// The time for uploads is over, whatever it was to be.
    package func expire() { expireWindows(at: .max) }

    func expireWindows(at now: Int64) {
        while let index = uploads.windows.firstIndex(where: { $0.deadline <= now }) {
            let window = uploads.windows.remove(at: index)
            let isOver =
                uploads.windows.isEmpty && (window.finish != nil || !uploads.isForeground)
            if isOver, let attempt = uploads.attempt, !attempt.isGivenUp {
                giveUp(attempt, "the time for it is over")
            }
            window.finish?(isDone)
        }
    }

    /// Cancels an attempt, which is a failure.
    func giveUp(_ attempt: Uploads<System.Folder.Handle>.Attempt, _ reason: String) {
        cancel(attempt)
        fail(reason)
    }

    /// Gives up what runs: its batch is deleted.
    func abandonUploads() {
        if let attempt = uploads.attempt, !attempt.isGivenUp { cancel(attempt) }
        uploads.abandon()
    }

    /// Calls an attempt off. Another may begin when its connection is closed; where nobody says so, after
    /// the time that an attempt has.
    private func cancel(_ attempt: Uploads<System.Folder.Handle>.Attempt) {
        system.cancel(attempt: attempt.number)
        uploads.attempt?.isGivenUp = true
        uploads.attempt?.end = system.monotonic + limits.attempt * Self.millisecond
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
    package func considerUpload() {
        guard let journal else { return }
        if let attempt = uploads.attempt {
            // Nothing more can come of it for those who cannot wait for the next.
            if attempt.isGivenUp { finishWindows(before: uploads.next) }
            return
        }
        guard applyWishes() else {
            let moment = system.monotonic + 1000 * Self.millisecond
            finishWindows(before: moment)
            uploads.wake = moment
            return
        }
        guard journal.hasSomething, journal.ledger.isEnabled else {
            uploads.isWanted = false
            return finishWindows()
        }
        guard uploads.isForeground || !uploads.windows.isEmpty || limits.isDebug else { return }
        let now = system.monotonic
        let isPending = journal.ledger.frozen != nil || journal.ledger.undone != nil
        guard isDue(journal, isPending, now) else { return }
        if uploads.isCountHeld, !isPending, journal.waiting.events == 0 { return finishWindows() }
        guard uploads.next <= now else {
            finishWindows(before: uploads.next)
            uploads.wake = uploads.next
            return
        }
        attempt(journal)
    }

    /// Whether it is time to upload; otherwise the machine wakes when it is.
    private func isDue(
        _ journal: Journal<System.Folder>, _ isPending: Bool, _ now: Int64
    ) -> Bool {
        let interval = limits.isDebug ? Limits.debugInterval : limits.interval
        let ripe = (uploads.oldest ?? now) + interval * Self.millisecond
        if uploads.windows.contains(where: { $0.finish != nil }) || uploads.isWanted || isPending
            || ripe <= now || journal.waiting.bytes >= limits.threshold
        {
            return true
        }
        uploads.wake = ripe
        return false
    }

    // MARK: An attempt

    private func attempt(_ journal: Journal<System.Folder>) {
        guard let lock = journal.lockUploads() else { return retrySoon() }
        guard catchUp(journal), let body = prepare(journal) else { return journal.unlock(lock) }
        let isFirst = journal.ledger.frozen?.batchID == uploads.fresh
        uploads.fresh = nil
        let number = uploads.number()
        uploads.attempt = .init(
            number: number, lock: lock,
            end: system.monotonic + limits.attempt * Self.millisecond, isFirst: isFirst)
        system.post(body, attempt: number)
    }

    /// Learns what other processes have made of the journal, and of their failures; false where nothing
    /// may be posted now.
    private func catchUp(_ journal: Journal<System.Folder>) -> Bool {
        do throws(DiskFailure) {
            try journal.step { (_: inout Ledger) throws(DiskFailure) in }
        } catch {
            log("nothing can be uploaded: \(error.reason)")
            retrySoon()
            return false
        }
        let wait = journal.ledger.wait
        guard wait != uploads.wait else { return true }
        uploads.wait = wait
        let rest = wait.remaining(at: system.wall, configuration: fingerprint)
        guard rest > 0 else { return true }
        uploads.next = system.monotonic + rest * Self.millisecond
        uploads.wake = uploads.next
        finishWindows(before: uploads.next)
        return false
    }

    /// The body of the batch on its way, which is frozen if none is; nil where there is none to post.
    private func prepare(_ journal: Journal<System.Folder>) -> [UInt8]? {
        do throws(DiskFailure) {
            if journal.ledger.frozen == nil {
                try journal.freeze(fits: system.excess)
                guard let frozen = journal.ledger.frozen else {
                    uploads.wake = system.monotonic
                    return nil
                }
                uploads.fresh = frozen.batchID
                uploads.frozen()
            }
            uploads.hasMore = journal.waiting.events > 0 || journal.ledger.undone != nil
            let text = try journal.frozenText { isOwn in
                isOwn ? clock.time(at: system.monotonic) : system.wall
            }
            guard let text else {
                log("a batch cannot be read any more: its events are dropped")
                try journal.step { (ledger) throws(DiskFailure) in ledger.refuse() }
                uploads.wake = system.monotonic
                return nil
            }
            if let body = system.seal(text) { return body }
        } catch {
            log("nothing can be uploaded: \(error.reason)")
        }
        retrySoon()
        return nil
    }

    /// Something of our own is in the way.
    private func retrySoon() {
        let moment = system.monotonic + 200 * Self.millisecond
        finishWindows(before: moment)
        uploads.wake = moment
    }
}
