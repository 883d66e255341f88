/// Delivers batches: posts one until it is stored, refused for good, or time is up.
package struct Delivery {
    /// How it went.
    package struct Outcome: Sendable, Equatable {
        /// The last answer.
        package var answer: Answer
        /// What follows on it. `retry` here means that time was up.
        package var step: Step
        /// How often it was posted.
        package var attempts: Int

        /// An outcome of its parts.
        package init(answer: Answer, step: Step, attempts: Int) {
            self.answer = answer
            self.step = step
            self.attempts = attempts
        }
    }

    /// What follows on an answer.
    package enum Step: Sendable, Equatable {
        /// It is stored.
        case done
        /// It will never be taken.
        case drop
        /// Somebody has to mend something first: the server would refuse others too.
        case keep
        /// It goes in smaller ones.
        case split
        /// It is tried again after so many milliseconds; with a smaller body if that can be done.
        case retry(milliseconds: Int64, smaller: Bool)
    }

    private let poster: BatchPoster
    private let backoff: Backoff
    private let pace: Pace

    /// A delivery through `poster`.
    package init(_ poster: BatchPoster, backoff: Backoff = Backoff(), pace: Pace = .real) {
        self.poster = poster
        self.backoff = backoff
        self.pace = pace
    }

    /// Milliseconds that an attempt may take however late it is: a sound answer comes within them.
    private static let minTime: Int64 = 3_000

    /// Milliseconds on the pace's clock that is never set, from now on.
    package func deadline(in milliseconds: Int64) -> Int64 {
        let (deadline, isNever) = pace.elapsed().addingReportingOverflow(milliseconds)
        return isNever ? .max : deadline
    }

    /// Whether `deadline` is over.
    func isPast(_ deadline: Int64) -> Bool { pace.elapsed() > deadline }

    /// Waits so many milliseconds.
    func wait(_ milliseconds: Int64) { pace.wait(milliseconds) }

    /// Posts `text`, as often as answers ask for it. No attempt but the first begins after `deadline`, and one that is
    /// under way is given up then, after three seconds at the earliest.
    ///
    /// - Parameters:
    ///   - mayShrink: Whether to return when the answer asks for a smaller body, for the caller to see
    ///     to it; otherwise the same is tried again.
    ///   - waiting: Told of each answer after which it is tried again, before the wait.
    package func deliver(
        _ text: WrittenBatch, until deadline: Int64, mayShrink: Bool = false,
        waiting: (Answer) -> Void = { _ in }
    ) -> Outcome {
        var attempts = 1
        // A proxy's 413 in a row.
        var tooLarge = 0
        while true {
            let left = max(deadline - pace.elapsed(), Self.minTime)
            let posted = poster.post(text, at: pace.now(), within: left)
            let answer = posted.answer
            tooLarge = answer.isTooLarge ? tooLarge + 1 : 0
            let step = step(after: posted, attempts, tooLarge)
            guard case .retry(let wait, let smaller) = step, !(smaller && mayShrink),
                pace.elapsed() + wait <= deadline
            else {
                return Outcome(answer: answer, step: step, attempts: attempts)
            }
            waiting(answer)
            pace.wait(wait)
            attempts += 1
        }
    }

    private func step(
        after posted: BatchPoster.Outcome, _ attempts: Int, _ tooLarge: Int
    ) -> Step {
        func retry(smaller: Bool = false) -> Step {
            let wait = backoff.wait(
                afterFailures: Int64(attempts), isHold: false, asked: posted.asked,
                draw: pace.draw())
            return .retry(milliseconds: wait, smaller: smaller)
        }
        switch posted.answer {
        case .stored: return .done
        // After an attempt that ended otherwise it may be stored.
        case .unusable where tooLarge == attempts || tooLarge == 3: return .split
        case .unusable: return retry()
        case .refused(let refusal):
            switch refusal.code.treatment {
            case .drop: return .drop
            case .hold: return .keep
            case .split: return .split
            case .retry: return retry()
            case .retrySmaller: return retry(smaller: true)
            }
        }
    }
}
