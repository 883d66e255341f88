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

    /// Whether the app is in the foreground after an event of that kind; nil: as before it.
    @inlinable
    package var setsForeground: Bool? {
        switch self {
        case .start, .resume: true
        case .end: false
        case .other: nil
        }
    }

    package static func < (left: SessionEventKind, right: SessionEventKind) -> Bool {
        left.rawValue < right.rawValue
    }
}
