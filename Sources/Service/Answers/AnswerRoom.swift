import HTTP1
import Sockets

/// Room for answers that wait for their readers, all together (docs/operation.md, Settings:
/// `max-answer-bytes`). Small ones need none. Of any thread.
final class AnswerRoom: Sendable {
    /// Octets of an answer that need no room.
    static let small = 16 << 10

    private let budget: Budget

    /// - Parameter limit: octets at most
    init(limit: Int) { budget = Budget(limit: limit) }

    /// Octets that wait now.
    var used: Int { budget.used }

    /// An answer on its way: it has its room until its reader has taken it, or is gone. Where there is none
    /// for it a problem goes instead.
    func admit(_ response: Response) -> Response {
        let octets = response.body.count
        guard octets > Self.small else { return response }
        if octets > budget.limit { return .problem(Problem(.reportTooLarge)) }
        guard budget.reserve(octets) else { return .problem(Problem(.overloaded)) }
        var response = response
        // It waits in no more memory than it needs.
        if response.body.capacity > octets + octets / 8 {
            var exact: [UInt8] = []
            exact.reserveCapacity(octets)
            exact += response.body
            response.body = exact
        }
        response.hold = AnswerHold(octets, of: budget)
        return response
    }
}

/// Room that an answer has, given back when nobody holds this any more.
private final class AnswerHold: Sendable {
    private let octets: Int
    private let budget: Budget

    init(_ octets: Int, of budget: Budget) {
        self.octets = octets
        self.budget = budget
    }

    deinit { budget.release(octets) }
}
