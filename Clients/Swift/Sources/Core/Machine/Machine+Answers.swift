/// What an answer does (client.md §5).
extension Machine {
    /// A proxy's 413 in a row, after which a batch that may be stored is split.
    private static var tooLargeAtMost: Int64 { 3 }

    /// Takes what came of an attempt. One that is no longer waited for is ignored.
    package func posted(_ number: Int, _ reply: Reply) {
        guard let attempt = uploads.attempt, attempt.number == number else { return }
        uploads.attempt = nil
        if !attempt.isGivenUp {
            switch reply {
            case .failure(let reason): fail(reason)
            case .answer(let response): answered(attempt, response)
            }
        }
        // Not before the answer is noted: another process would post the same batch again.
        journal?.unlock(attempt.lock)
        considerUpload()
    }

    private func answered(
        _ attempt: Uploads<System.Folder.Handle>.Attempt, _ response: Reply.Response
    ) {
        guard let journal, let frozen = journal.ledger.frozen else { return }
        let asked = response.asked(at: system.wall)
        let answer = Answer.judge(
            response, expecting: .id(frozen.batchID), isDryRun: limits.isDebug)
        switch answer {
        case .stored(let receipt):
            tell(receipt.verdicts, of: limits.isDebug ? journal.frozenNames() : [])
            settle(frozen, journal) { $0.settle(rejected: receipt.rejected) }
            uploads.isWanted = uploads.hasMore
        case .refused(let refusal): refused(attempt, frozen, journal, refusal, asked)
        case .unusable(let answer) where answer.isTooLarge:
            tooLarge(attempt, frozen, journal, answer.reason, asked)
        case .unusable(let answer): fail(answer.reason, asked: asked)
        }
    }

    private func refused(
        _ attempt: Uploads<System.Folder.Handle>.Attempt, _ frozen: Ledger.Frozen,
        _ journal: Journal<System.Folder>, _ refusal: Answer.Refusal, _ asked: Int64?
    ) {
        let code = refusal.code
        switch code.treatment {
        case .drop:
            log(
                "a batch of \(frozen.events) events is refused and dropped: "
                    + "\(code.name): \(refusal.detail)")
            settle(frozen, journal) { $0.refuse() }
            uploads.isWanted = uploads.hasMore
            uploads.isCountHeld = frozen.events == 0
        // A count alone cannot be split, only sent again: not at once.
        case .split where frozen.events > 0: split(frozen, journal, code.name, asked)
        // It may be stored already where an earlier attempt was made.
        case .retrySmaller where attempt.isFirst && frozen.events > 0:
            split(frozen, journal, code.name, asked)
        case .hold:
            fail("it is refused for now: \(code.name)", asked: asked, isHold: true)
        case .retry, .retrySmaller, .split:
            fail("status \(code.status) \(code.name)", asked: asked)
        }
    }

    /// Something on the way takes no body of this size. A batch that may be stored already waits, and is split
    /// when it has been told so three times in a row.
    private func tooLarge(
        _ attempt: Uploads<System.Folder.Handle>.Attempt, _ frozen: Ledger.Frozen,
        _ journal: Journal<System.Folder>, _ reason: String, _ asked: Int64?
    ) {
        guard frozen.events > 1 else { return fail(reason, asked: asked) }
        let count = frozen.tooLarge + 1
        if attempt.isFirst || count >= Self.tooLargeAtMost {
            split(frozen, journal, reason, asked)
        } else {
            fail(reason, asked: asked, tooLarge: count)
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

    private func split(
        _ frozen: Ledger.Frozen, _ journal: Journal<System.Folder>, _ reason: String,
        _ asked: Int64?
    ) {
        log("a batch is too large and is split: \(reason)")
        let span = asked.map { Backoff.stretched($0, system.draw()) }
        let until = system.wall + (span ?? 0)
        settle(frozen, journal) { ledger in
            ledger.undo()
            guard let span else { return }
            ledger.wait = Wait(
                failures: ledger.wait.failures, until: until, span: span, held: 0)
        }
        uploads.isWanted = true
        guard let span else { return }
        uploads.wait = journal.ledger.wait
        uploads.next = system.monotonic + span * Self.millisecond
    }

    /// One step that ends a batch, unless another process has deleted it. Where the disk does not take it
    /// the batch goes again later, and the server knows it.
    private func settle(
        _ frozen: Ledger.Frozen, _ journal: Journal<System.Folder>,
        _ change: (inout Ledger) -> Void
    ) {
        for _ in 1...3 {
            do throws(DiskFailure) {
                try journal.step { (ledger) throws(DiskFailure) in
                    if ledger.frozen?.batchID == frozen.batchID { change(&ledger) }
                }
                uploads.next = 0
                return
            } catch {
                log("an answer cannot be noted: \(error.reason)")
            }
        }
        fail("the journal cannot be written")
    }

    /// Waits, and notes it.
    ///
    /// - Parameter tooLarge: How many of a proxy's 413 in a row this is for the batch on its way.
    func fail(
        _ reason: String, asked: Int64? = nil, isHold: Bool = false, tooLarge: Int64 = 0
    ) {
        guard let journal else { return }
        log("an upload failed: \(reason)")
        let failures = journal.ledger.wait.failures + 1
        let span = limits.backoff.wait(
            afterFailures: failures, isHold: isHold, asked: asked, draw: system.draw())
        uploads.next = system.monotonic + span * Self.millisecond
        let wait = Wait(
            failures: failures, until: system.wall + span, span: span,
            held: isHold ? fingerprint : 0)
        do throws(DiskFailure) {
            try journal.step { (ledger) throws(DiskFailure) in
                ledger.wait = wait
                ledger.frozen?.tooLarge = tooLarge
            }
            uploads.wait = wait
        } catch {
            log("a failure cannot be noted: \(error.reason)")
        }
    }
}
