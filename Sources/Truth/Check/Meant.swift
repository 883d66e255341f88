/// What was meant for one cell, as a truth document has it.
enum Meant: Sendable, Equatable {
    /// Exactly this, number for number in the same characters.
    case exactly(JSONValue)
    /// A number from the one to the other.
    case between(Decimal, Decimal, text: String)
    case anything

    init(_ value: JSONValue) {
        self = .exactly(value)
        guard case .object(let members) = value else { return }
        switch members.map(\.name) {
        case ["unchecked"]: self = .anything
        case ["from", "to"]:
            guard let low = Decimal(members[0].value), let high = Decimal(members[1].value) else {
                return
            }
            self = .between(low, high, text: "\(members[0].value.json) to \(members[1].value.json)")
        default: break
        }
    }

    func fits(_ value: JSONValue) -> Bool {
        switch self {
        case .exactly(let meant): return meant == value
        case .anything: return true
        case .between(let low, let high, _):
            guard let number = Decimal(value) else { return false }
            return low <= number && number <= high
        }
    }

    /// For people.
    var text: String {
        switch self {
        case .exactly(let value): value.json
        case .between(_, _, let text): text
        case .anything: "anything"
        }
    }
}
