import Glibc

/// Delivers batches: posts one until it is stored, refused for good, or time is up.
package struct Delivery {
    /// How it went.
    package struct Outcome: Sendable, Equatable {
        /// The last answer.
        package var answer: Answer
        /// What the policy decides to do after it. `retry` here means that time was up.
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

    /// Posts a batch that the caller stamps in the same way.
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

/// Posts batches, one attempt each: seals, sends and judges the answer. Made and used on one thread.
package final class BatchPoster {
    private let client: HTTPClient
    private let sealer: Sealer
    private let isDryRun: Bool

    /// Posts through `client` what `sealer` makes.
    ///
    /// - Parameter isDryRun: Whether batches are to be judged and not stored.
    package init(_ client: HTTPClient, _ sealer: Sealer, isDryRun: Bool = false) {
        self.client = client
        self.sealer = sealer
        self.isDryRun = isDryRun
    }

    /// Posts `text`, stamped with `moment` (milliseconds), and waits for the answer.
    package func post(_ text: BatchText, at moment: Int64) -> Answer {
        post(text.stamped(moment), expecting: text.expectedID(sealer.profile))
    }

    /// Posts these bytes and no others.
    package func post(_ bytes: [UInt8], expecting id: ExpectedBatchID) -> Answer {
        do throws(HTTPFailure) {
            let answer = try client.send(sealer.request(for: bytes, isDryRun: isDryRun))
            return .judge(answer, expecting: id)
        } catch {
            return .missing(error)
        }
    }
}

/// The clock, the waiting and the chance that a client depends on, handed in so that tests need
/// none of them.
package struct Pace: Sendable {
    /// Milliseconds since 1970 by the wall clock: what `sent_at` is stamped with.
    package var now: @Sendable () -> Int64
    /// Milliseconds by a clock that is never set: what deadlines are measured with.
    package var elapsed: @Sendable () -> Int64
    /// Waits so many milliseconds.
    package var wait: @Sendable (Int64) -> Void
    /// 64 random bits.
    package var draw: @Sendable () -> UInt64

    /// A pace of its parts.
    package init(
        now: @escaping @Sendable () -> Int64, elapsed: @escaping @Sendable () -> Int64,
        wait: @escaping @Sendable (Int64) -> Void, draw: @escaping @Sendable () -> UInt64
    ) {
        self.now = now
        self.elapsed = elapsed
        self.wait = wait
        self.draw = draw
    }

    /// The machine's own.
    package static let real = Pace(
        now: { read(CLOCK_REALTIME) },
        elapsed: { read(CLOCK_MONOTONIC) },
        wait: { sleep(milliseconds: $0) },
        draw: { UInt64.random(in: .min ... .max) })

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        // Neither clock can fail on Linux; were it so, time would stand still at zero.
        guard clock_gettime(clock, &time) == 0 else { return 0 }
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func sleep(milliseconds: Int64) {
        guard milliseconds > 0 else { return }
        var request = timespec(
            tv_sec: Int(milliseconds / 1_000), tv_nsec: Int(milliseconds % 1_000) * 1_000_000)
        var rest = timespec()
        // A signal ends the wait early and leaves what is left of it in `rest`.
        while nanosleep(&request, &rest) != 0, errno == EINTR { request = rest }
    }
}
