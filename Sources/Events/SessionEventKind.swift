/// What an event is to its session. The order is that of events within one millisecond
/// (docs/reports.md, Sessions).
package enum SessionEventKind: UInt8, Comparable, CaseIterable, Sendable {
    case start
    case other
    case end
    case resume

    /// The kind of an event of that name.
    package init(name: String) {
        switch StandardEvent(rawValue: name) {
        case .sessionStart: self = .start
        case .sessionEnd: self = .end
        case .sessionResume: self = .resume
        default: self = .other
        }
    }

    package static func < (left: SessionEventKind, right: SessionEventKind) -> Bool {
        left.rawValue < right.rawValue
    }
}
