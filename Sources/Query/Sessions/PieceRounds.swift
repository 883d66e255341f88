import Synchronization

/// How many pieces of sessions the threads of a report hold together. Where there are too many, each goes on with
/// those of half of the devices that it had so far (`Round`): the others are collected in rounds of their own.
final class PieceRounds: Sendable {
    /// The devices of one round.
    struct Round: Sendable, Equatable {
        /// How many rounds there are: a power of two.
        var count: UInt64 = 1
        var number: UInt64 = 0

        /// Of all devices.
        static let all = Round()

        /// The same part of each shard (`DeviceShards`), which is chosen by the row's last bits.
        @inline(__always)
        func contains(_ device: Int64) -> Bool {
            if count == 1 { return true }
            let spread = UInt64(bitPattern: device) &* 0x9e37_79b9_7f4a_7c15
            return spread >> 58 & (count - 1) == number
        }
    }

    private struct State {
        var rounds: UInt64
        /// Pieces of threads that know how many rounds there are.
        var count = 0
    }

    private let state: Mutex<State>
    private let limit: Int?
    private let account: ReportAccount

    /// Each reads all segments. A round may hold more than it should where rounds do not help: the pieces of one device
    /// stay together.
    private static let maxRounds: UInt64 = 64
    /// Fewer pieces are never too many, more are always. In between they should take at most twice as much as memory has
    /// left.
    private static let bounds = 500_000...5_000_000

    /// - Parameters:
    ///   - limit: how many pieces they may hold; nil: as memory allows
    ///   - round: with which they begin; in all but the first nothing is too much
    ///   - account: of the report
    init(limit: Int?, _ round: Round, _ account: ReportAccount) {
        self.limit = round.number == 0 ? limit : .max
        self.account = account
        state = Mutex(State(rounds: round.count))
    }

    private func isTooMany(_ count: Int) -> Bool {
        if let limit { return count > limit }
        if count <= Self.bounds.lowerBound { return false }
        return count > Self.bounds.upperBound
            || count / 2 > account.room / MemoryLayout<SessionPiece>.stride
    }

    /// Counts pieces that a thread holds more.
    /// - Returns: how many rounds there are. Where it takes part in fewer it drops the pieces of other rounds, and
    ///   all that it keeps is to be counted.
    func add(_ count: Int, of round: Round) -> UInt64 {
        state.withLock { state in
            guard state.rounds == round.count else { return state.rounds }
            state.count += count
            if isTooMany(state.count), state.rounds < Self.maxRounds {
                state = State(rounds: state.rounds * 2)
            }
            return state.rounds
        }
    }
}
