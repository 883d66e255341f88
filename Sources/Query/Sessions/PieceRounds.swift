import Synchronization

/// How many pieces of sessions the threads of a report hold together. Where there are too many, each goes on with
/// those of every second device that it had so far (`Share`): the others are collected in rounds of their own.
final class PieceRounds: Sendable {
    /// The devices of one round: those whose row has this remainder.
    struct Share: Sendable, Equatable {
        /// A power of two.
        var rounds: Int64 = 1
        var round: Int64 = 0

        /// Of all devices.
        static let all = Share()

        @inline(__always)
        func contains(_ device: Int64) -> Bool { rounds == 1 || device % rounds == round }
    }

    private struct State {
        var rounds: Int64
        /// Pieces of threads that know how many rounds there are.
        var count = 0
    }

    private let state: Mutex<State>
    private let limit: Int

    /// The most rounds; each reads all segments. A round may hold more than the limit where rounds do not help: the
    /// pieces of one device stay together.
    private static let most: Int64 = 64

    /// - Parameters:
    ///   - limit: how many pieces they may hold
    ///   - share: with which they begin
    init(limit: Int, _ share: Share) {
        self.limit = limit
        state = Mutex(State(rounds: share.rounds))
    }

    /// Counts pieces that a thread holds more.
    /// - Returns: how many rounds there are. Where it takes part in fewer it drops the pieces of other rounds, and
    ///   all that it keeps is to be counted.
    func add(_ count: Int, of share: Share) -> Int64 {
        state.withLock { state in
            guard state.rounds == share.rounds else { return state.rounds }
            state.count += count
            if state.count > limit, state.rounds < Self.most {
                state = State(rounds: state.rounds * 2)
            }
            return state.rounds
        }
    }
}
