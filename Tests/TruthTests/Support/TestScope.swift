import TimeZones

@testable import Truth

/// Noon of 2026-03-28 in Paris, a Saturday: at 02:00 of the next day clocks are set forward there.
let noon: Int64 = 1_774_695_600_000
let minute: Int64 = 60_000
let hour: Int64 = 3_600_000
let dayLength: Int64 = 86_400_000

func scope(
    _ from: String = "2026-03-28", _ to: String = "2026-03-28", zone: String = "Europe/Paris"
) throws -> TruthScope {
    TruthScope(
        app: "shop", zone: try TimeZoneRules(name: zone), from: try date(from), to: try date(to),
        sessionTimeout: 30 * minute, keyID: "k1")
}

func date(_ text: String) throws -> CivilDate {
    guard let date = CivilDate(parsing: Array(text.utf8)) else { throw NoDate(text: text) }
    return date
}

struct NoDate: Error {
    let text: String
}

/// The rows of one question's answer, cells in text: `~` for null, `a..b` for what is known within bounds.
func rows(_ question: TruthQuestion, of devices: [ToldDevice], in scope: TruthScope) -> [String] {
    answer(question, of: devices, in: scope).rows.map { row in
        row.map(\.short).joined(separator: " ")
    }
}

/// One question's answer; half of the devices are counted by another tally.
func answer(_ question: TruthQuestion, of devices: [ToldDevice], in scope: TruthScope) -> Answer {
    let halves = [0, 1].map { half in
        var counting = Counting(question, scope)
        for (index, device) in devices.enumerated() where index % 2 == half { counting.add(device) }
        return counting
    }
    var all = halves[0]
    all.merge(halves[1])
    return all.tally.answer(all.names)
}

/// What `Truth` does for all questions, for one.
private struct Counting {
    let question: TruthQuestion
    var names = Names()
    var tally: any Tally
    var preparer: DevicePreparer

    init(_ question: TruthQuestion, _ scope: TruthScope) {
        self.question = question
        let calendar = ReportCalendar(scope)
        preparer = DevicePreparer(calendar, &names)
        tally = question.makeTally(calendar, &names)
    }

    mutating func add(_ device: ToldDevice) {
        let device = preparer.prepare(device, &names)
        tally.add(DeviceView(device, question.filter, &names), &names)
    }

    mutating func merge(_ other: Counting) {
        tally.merge(any: other.tally, names.merge(other.names))
    }
}

extension Figure {
    var short: String {
        switch self {
        case .missing: "~"
        case .text(let text), .number(let text): text
        case .between(let low, let high): "\(low)..\(high)"
        case .object(let members):
            members.map { $0.name + ":" + $0.figure.short }.joined(separator: ",")
        case .unchecked: "?"
        }
    }
}
