import Client

/// The network that a device has, and what it does with a request. All of it is drawn, so that it is the
/// same whatever the real network and the real server do.
struct Weather {
    /// What the network is like.
    enum Sky {
        case clear
        /// Slow, and often too slow.
        case weak
        case offline
    }

    /// What happens to a request.
    enum Fate {
        /// It arrives. The answer does so after `delay` ms, or never.
        case arrives(delay: Int64, isAnswerLost: Bool)
        /// It never arrives; after `delay` ms the device knows what stands in `reply`.
        case ends(delay: Int64, reply: Reply)
    }

    var sky = Sky.clear
    private let lost: Int
    private var random: SeededRandom

    init(_ shares: Shares, seed: UInt64) {
        lost = shares.lost
        random = SeededRandom(seed: seed)
    }

    /// What happens to the next request.
    ///
    /// - Parameter hasArrived: Whether its batch has arrived before: it was not too large then.
    mutating func fate(hasArrived: Bool) -> Fate {
        let delay = delay()
        guard sky != .offline else { return .ends(delay: 40, reply: .failure("no network")) }
        guard random.chance(perMyriad: lost) else {
            return .arrives(delay: delay, isAnswerLost: false)
        }
        switch random.below(100) {
        case ..<40: return .arrives(delay: 31_000, isAnswerLost: true)
        case ..<55: return .arrives(delay: delay, isAnswerLost: true)
        case ..<75: return .ends(delay: 31_000, reply: .failure("no answer"))
        case ..<88: return .ends(delay: delay, reply: Self.portal)
        case ..<94:
            return .ends(delay: delay, reply: Self.problem(503, "overloaded", retryAfter: "30"))
        case ..<98 where !hasArrived:
            return .ends(delay: delay, reply: Self.problem(413, "body-too-large"))
        case ..<100 where !hasArrived:
            return .ends(delay: delay, reply: Self.problem(408, "request-timeout"))
        default: return .ends(delay: delay, reply: .failure("the connection was reset"))
        }
    }

    private mutating func delay() -> Int64 {
        switch sky {
        case .weak: Int64(random.within(600...4_000) * random.within(1...3))
        case .clear, .offline: Int64(random.within(60...700))
        }
    }

    /// A network that wants somebody to sign in.
    private static let portal = Reply.answer(
        .init(
            status: 200, mediaType: "text/html", retryAfter: nil, date: nil,
            body: Array("<html>Welcome</html>".utf8)))

    private static func problem(_ status: Int, _ code: String, retryAfter: String? = nil) -> Reply {
        .answer(
            .init(
                status: status, mediaType: "application/problem+json", retryAfter: retryAfter,
                date: nil, body: Array("{\"code\":\"\(code)\",\"detail\":\"\"}".utf8)))
    }
}
