/// What a client does after an answer. Pure: what is random is handed in.
///
/// Waits are milliseconds.
package struct RetryPolicy: Sendable, Equatable {
    /// What to do with the batch now.
    package enum Step: Sendable, Equatable {
        /// Forget it: it is stored.
        case done
        /// Forget it and report it: it will never be taken.
        case drop
        /// Keep it and leave the server alone for this long: it would refuse the others too.
        case keep(milliseconds: Int64)
        /// Send it as several smaller ones.
        case split
        /// Try again after this long; with a smaller body if that can be done.
        case retry(milliseconds: Int64, smaller: Bool)
    }

    /// The first wait; it doubles with each attempt.
    package var base: Int64 = 1_000
    /// The longest wait of our own choice.
    package var cap: Int64 = 300_000
    /// How long a batch is kept that the server refuses for a reason outside of it.
    package var hold: Int64 = 3_600_000
    /// The longest wait that `Retry-After` may ask for: a day.
    package var longestRetryAfter: Int64 = 86_400_000

    /// The policy of the contract, with the waits above.
    package init() {}

    /// What `answer` asks for, after attempt number `attempt` (from 1).
    ///
    /// The wait lies between half and the whole of `base · 2^(attempt − 1)`, at most `cap`, so that
    /// devices that failed together do not return together. It is never shorter than `Retry-After`;
    /// where that is the longer one, up to a quarter of it is added for the same reason.
    ///
    /// - Parameter draw: 64 random bits.
    package func step(after answer: Answer, attempt: Int, draw: UInt64) -> Step {
        switch answer {
        case .accepted:
            return .done
        case .unusable(let unusable):
            return .retry(
                milliseconds: wait(attempt, unusable.retryAfter, draw), smaller: false)
        case .refused(let refusal):
            let wait = wait(attempt, refusal.retryAfter, draw)
            switch AnswerCode.find(status: refusal.status, name: refusal.code)?.treatment {
            case .drop: return .drop
            case .split: return .split
            case .keep: return .keep(milliseconds: max(hold + part(draw, of: hold / 4), wait))
            case .retrySmaller: return .retry(milliseconds: wait, smaller: true)
            case .retry, nil: return .retry(milliseconds: wait, smaller: false)
            }
        }
    }

    private func wait(_ attempt: Int, _ retryAfter: Int?, _ draw: UInt64) -> Int64 {
        // Twenty doublings of a second are twelve days: past any cap, and far from overflowing.
        let doublings = min(max(attempt - 1, 0), 20)
        let (grown, overflow) = base.multipliedReportingOverflow(by: 1 << Int64(doublings))
        let ceiling = overflow ? cap : min(grown, cap)
        let own = ceiling - part(draw, of: ceiling / 2)
        guard let seconds = retryAfter, seconds > 0 else { return own }
        let asked = min(Int64(min(seconds, 1 << 40)) * 1_000, longestRetryAfter)
        return own >= asked ? own : asked + part(draw, of: asked / 4)
    }

    /// A share of `span` from 0 to all of it, as `draw` has it.
    private func part(_ draw: UInt64, of span: Int64) -> Int64 {
        guard span > 0 else { return 0 }
        return Int64(draw % UInt64(span + 1))
    }
}
