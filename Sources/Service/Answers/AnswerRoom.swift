import HTTP1
import Sockets

/// Room for answers that wait for their readers, all together, of which no token takes all
/// (docs/operation.md, Settings: `max-answer-bytes`). Small ones need none. Of any thread.
final class AnswerRoom: Sendable {
    /// Bytes of an answer that need no room.
    static let small = 16 << 10
    /// In place of a token's row, which begin with 1: requests that need no token. All together have no more than one
    /// token has.
    static let anyone: Int64 = 0

    private let budget: FairBudget<Int64?>

    /// - Parameter limit: bytes at most
    init(limit: Int) { budget = FairBudget(Budget(limit: limit), share: limit) }

    /// Maximum of bytes that wait.
    var limit: Int { budget.limit }
    /// Bytes that wait now.
    var used: Int { budget.used }

    /// An answer on its way: it has its room until its reader has taken it, or is gone. Where there is
    /// none for it a problem goes instead.
    /// - Parameter token: the row of the token that asked; nil where none did
    func admit(_ response: Response, of token: Int64?) -> Response {
        let count = response.body.count
        guard count > Self.small else { return response }
        if count > limit { return .problem(Problem(.reportTooLarge)) }
        guard let hold = hold(count, of: token) else { return .problem(Problem(.overloaded)) }
        var response = response
        response.body = response.body.fitted
        response.hold = hold
        return response
    }

    /// Room for so many bytes, until nobody holds it any more; nil where there is none.
    /// - Parameter token: the row of the token that asked; nil where none did
    func hold(_ count: Int, of token: Int64?) -> AnswerHold? {
        guard budget.reserve(count, of: token) else { return nil }
        return AnswerHold(count, of: token, in: budget)
    }
}

/// Room that an answer has, given back when nobody holds this any more.
final class AnswerHold: Sendable {
    private let count: Int
    private let token: Int64?
    private let budget: FairBudget<Int64?>

    /// The budget has counted it in.
    fileprivate init(_ count: Int, of token: Int64?, in budget: FairBudget<Int64?>) {
        self.count = count
        self.token = token
        self.budget = budget
    }

    deinit { budget.release(count, of: token) }
}

extension [UInt8] {
    /// The same in no more memory than it needs, but for an eighth.
    var fitted: [UInt8] {
        guard capacity > count + count / 8 else { return self }
        var exact: [UInt8] = []
        exact.reserveCapacity(count)
        exact += self
        return exact
    }
}
