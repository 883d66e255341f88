/// Delivers batches: posts one until it is stored, refused for good, or time is up.
package struct Delivery {
    /// How it went.
    package struct Outcome: Sendable, Equatable {
        /// The last answer.
        package var answer: Answer
        /// What the policy says to do after it. `retry` here means that time was up.
        package var step: RetryPolicy.Step
        /// How often it was posted.
        package var attempts: Int

        /// An outcome of its parts.
        package init(answer: Answer, step: RetryPolicy.Step, attempts: Int) {
            self.answer = answer
            self.step = step
            self.attempts = attempts
        }
    }

    private let poster: BatchPoster
    private let policy: RetryPolicy
    private let pace: Pace

    /// A delivery through `poster`.
    package init(_ poster: BatchPoster, policy: RetryPolicy = RetryPolicy(), pace: Pace = .real) {
        self.poster = poster
        self.policy = policy
        self.pace = pace
    }

    /// Milliseconds on the pace's clock that is never set, from now on.
    package func deadline(in milliseconds: Int64) -> Int64 { pace.elapsed() + milliseconds }

    /// Whether `deadline` is over.
    func isPast(_ deadline: Int64) -> Bool { pace.elapsed() > deadline }

    /// Waits so many milliseconds.
    func wait(_ milliseconds: Int64) { pace.wait(milliseconds) }

    /// Posts `text`, as often as answers ask for it. No attempt but the first begins after `deadline`.
    ///
    /// - Parameters:
    ///   - mayShrink: Whether to return when the answer asks for a smaller body, for the caller to see
    ///     to it; otherwise the same is tried again.
    ///   - waiting: Told of each answer after which it is tried again, before the wait.
    package func deliver(
        _ text: BatchText, until deadline: Int64, mayShrink: Bool = false,
        waiting: (Answer) -> Void = { _ in }
    ) -> Outcome {
        deliver(until: deadline, mayShrink, waiting) { poster.post(text, at: $0) }
    }

    /// Posts a batch that whoever asks stamps likewise.
    ///
    /// - Parameters:
    ///   - batchID: The id that an answer has to name.
    ///   - body: The batch as it is sent at the given moment (milliseconds), asked for at each attempt.
    package func deliver(
        _ batchID: String, until deadline: Int64, waiting: (Answer) -> Void = { _ in },
        body: (Int64) -> [UInt8]
    ) -> Outcome {
        deliver(until: deadline, false, waiting) {
            poster.post(body($0), expecting: .id(batchID))
        }
    }

    private func deliver(
        until deadline: Int64, _ mayShrink: Bool, _ waiting: (Answer) -> Void,
        attempt: (Int64) -> Answer
    ) -> Outcome {
        var attempts = 1
        while true {
            let answer = attempt(pace.now())
            let step = policy.step(after: answer, attempt: attempts, draw: pace.draw())
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
}
