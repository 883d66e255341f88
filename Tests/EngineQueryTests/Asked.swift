import Events
import Query
import TestSupport
import TimeZones

/// A random question, and its answer by some `Queries` as something that can be compared.
enum Asked: Sendable {
    case active(Interval, trailing: [Int])
    case sessions(Interval, percents: [Int])
    case cohorts(Interval, periods: Int)
    case lifetimes(inactive: Int)
    case events(Interval?, limit: Int)
    case values(ByteText, by: ByteText, limit: Int)
    case numbers(ByteText, ByteText, NumberGrouping?, Interval?, percents: [Int], limit: Int)
    case hours
    case lengths([Int64])
    case counters(Interval?, limit: Int)
    case platforms(limit: Int)
    case versions(String, Interval?, limit: Int)
    case funnel([EventMatcher], within: Int64)
    case contents(limit: Int)
    case videos(percents: [Int], limit: Int)
    case arrivals(Interval, percents: [Int], clients: Int)
    case refusals(Interval)
    case devices(ByteText?, upTo: Int)

    /// How many kinds there are.
    static let kinds = 18

    private static let ranks = [[50, 90, 95, 99], [50], [1, 33, 100], [], [7, 29, 57, 58]]
    private static let keys = ["k", "l", "n", "session.id", "content.id", "none"].map {
        ByteText($0)
    }
    private static let steps = [
        "p", "q", "p:k=5", "p:k=true", "p:k=", "q:l=1", "p:session.id=s", "screen.view",
        "content.view:content.id=é", "content.complete", "p:n=1.5", "p:k=\"5\"", "p:session.id=",
        "video.enter_fullscreen", "session.start", "usage.counter:counter.name==",
    ].compactMap { EventMatcher(parsing: ByteText($0)) }

    static func random(_ kind: Int, _ random: inout SplitMix) -> Asked {
        let calendar = random.pick(Interval.calendar)
        let any = random.pick(Interval.allCases)
        let perhaps = random.pick([nil, calendar, calendar] as [Interval?])
        let limit = random.pick([1, 2, 3, 100])
        let ranks = random.pick(ranks)
        switch kind {
        case 0: return .active(any, trailing: random.pick([[7, 30], [], [1, 3], [30]]))
        case 1: return .sessions(any, percents: ranks)
        case 2: return .cohorts(calendar, periods: random.pick([0, 1, 4, 14, 40]))
        case 3: return .lifetimes(inactive: random.pick([0, 1, 3, 28]))
        case 4: return .events(perhaps, limit: limit)
        case 5:
            return .values(
                ByteText(random.pick(["p", "q", "usage.counter", "nothing"])),
                by: random.pick(keys), limit: limit)
        case 6:
            return .numbers(
                ByteText(random.pick(["p", "q", "screen.view", "usage.counter"])),
                ByteText(random.pick(["k", "n", "k", "session.id", "counter.value"])),
                random.pick(
                    [
                        nil, .attribute(random.pick(keys)),
                        .resource(random.pick(ResourceFilter.dimensions)),
                    ]),
                perhaps, percents: ranks, limit: limit)
        case 7: return .hours
        case 8:
            return .lengths(
                random.pick([
                    [0, 3000, 10_000, 30_000, 60_000, 180_000, 600_000, 1_800_000, 3_600_000],
                    [0], [0, 1, 500, 501],
                ]))
        case 9: return .counters(perhaps, limit: limit)
        case 10: return .platforms(limit: limit)
        case 11: return .versions(random.pick(ResourceFilter.dimensions), perhaps, limit: limit)
        case 12:
            return .funnel(
                (0..<(1 + random.next(5))).map { _ in random.pick(steps) },
                within: random.pick([0, 1000, 60_000, 3_600_000, 259_200_000]))
        case 13: return .contents(limit: limit)
        case 14: return .videos(percents: ranks, limit: limit)
        case 15:
            return .arrivals(calendar, percents: ranks, clients: random.pick([0, 1, 2, 5, 30]))
        case 16: return .refusals(calendar)
        default:
            return .devices(
                random.pick([nil, "p", "q", "screen.view", "nothing"] as [String?])
                    .map { ByteText($0) },
                upTo: random.pick([1, 2, 3, 1000]))
        }
    }

    /// The answer as text: of all that it has.
    func answer(_ scope: QueryScope, _ queries: some Queries) throws -> [String] {
        switch self {
        case .active(let interval, let trailing):
            try queries.activeDevices(scope, by: interval, trailing: trailing).map { "\($0)" }
        case .sessions(let interval, let percents):
            try queries.sessions(scope, by: interval, percents: percents).map { "\($0)" }
        case .cohorts(let interval, let periods):
            try queries.cohorts(scope, by: interval, periods: periods).map { "\($0)" }
        case .lifetimes(let inactive):
            try queries.lifetimes(scope, inactive: inactive).map { "\($0)" }
        case .events(let interval, let limit):
            try queries.events(scope, by: interval, limit: limit).map { "\($0)" }
        case .values(let name, let key, let limit):
            try queries.events(scope, named: name, byAttribute: key, limit: limit).map { "\($0)" }
        case .numbers(let name, let key, let grouping, let interval, let percents, let limit):
            try Self.lines(
                queries.numbers(
                    scope, named: name, of: key, by: grouping, by: interval, percents: percents,
                    limit: limit))
        case .hours: try queries.hours(scope).map { "\($0)" }
        case .lengths(let edges): try queries.lengths(scope, edges: edges).map { "\($0)" }
        case .counters(let interval, let limit):
            try queries.counters(scope, by: interval, limit: limit).map { "\($0)" }
        case .platforms(let limit): ["\(try queries.platforms(scope, limit: limit))"]
        case .versions(let dimension, let interval, let limit):
            ["\(try queries.versions(scope, by: dimension, interval: interval, limit: limit))"]
        case .funnel(let steps, let within):
            try queries.funnel(scope, steps, within: within).map { "\($0)" }
        case .contents(let limit): try queries.contents(scope, limit: limit).map { "\($0)" }
        case .videos(let percents, let limit):
            try queries.videos(scope, percents: percents, limit: limit).map { "\($0)" }
        case .arrivals(let interval, let percents, let clients):
            try Self.lines(
                queries.arrivals(scope, by: interval, percents: percents, clients: clients))
        case .refusals(let interval):
            try queries.refusals(scope, by: interval).map { "\($0)" }
        case .devices(let name, let limit):
            ["\(try queries.deviceCount(scope, sending: name, upTo: limit))"]
        }
    }

    private static func lines(_ spreads: NumberSpreads) -> [String] {
        ["\(spreads.withoutNumber)"] + spreads.spreads.map { "\($0)" }
    }

    private static func lines(_ arrivals: Arrivals) -> [String] {
        arrivals.buckets.map { "\($0)" } + arrivals.profiles.map { "\($0)" }
            + arrivals.keys.map { "\($0)" } + arrivals.clients.named.map { "\($0)" }
            + ["\(String(describing: arrivals.clients.others))"]
    }
}
