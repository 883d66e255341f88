/// Why an event is refused before it is recorded (wire.md §2.1). The raw value goes into the log.
package enum EventRule: String, Sendable, CaseIterable {
    /// A name is `[a-z][a-z0-9_]*(\.[a-z0-9_]+)*`, at most 64 bytes.
    case invalidName = "invalid-name"
    /// A name of wire.md's table, which has a call of its own.
    case reservedName = "reserved-name"
    /// More than 31 attributes, a key that is not 1 to 64 bytes, or a value that is none.
    case invalidAttribute = "invalid-attribute"
    /// An attribute that the event's name demands is not there.
    case missingAttribute = "missing-attribute"

    /// Attributes that a caller has: one of the 32 is `session.id`.
    package static let maxAttributes = 31
    /// The largest integer, either way: 2^53−1.
    package static let maxInteger: Int64 = 9_007_199_254_740_991
    /// The longest of what a reserved event names: a screen, a counter, a content, a video.
    package static let maxSubjectLength = 128

    /// Names with a call of their own; what each must say stands beside it.
    private static let required: [(name: StaticString, attribute: StaticString)] = [
        ("session.start", "session.id"), ("session.resume", "session.id"),
        ("session.end", "session.id"), ("screen.view", "app.screen.name"),
        ("usage.counter", "counter.name"), ("content.view", "content.id"),
        ("content.complete", "content.id"), ("video.enter_fullscreen", "video.id"),
        ("video.exit_fullscreen", "video.id"), ("webview.event", "webview.event.name"),
    ]

    /// Which rule the app's own event breaks.
    ///
    /// - Parameter isOwn: Whether the app chose the name; the client's own calls may use reserved ones.
    package static func broken(
        name: String, attributes: [String: Value], isOwn: Bool
    ) -> EventRule? {
        guard isName(name) else { return .invalidName }
        let demanded = required.first { $0.name.equals(name) }
        if isOwn, demanded != nil { return .reservedName }
        var count = 0
        for (key, value) in attributes where key != Event.sessionKey {
            count += 1
            guard count <= maxAttributes, isText(key, 1...64), isValue(value) else {
                return .invalidAttribute
            }
        }
        guard let demanded, !demanded.attribute.equals(Event.sessionKey) else { return nil }
        return brokenSubject(attributes, demanded.attribute)
    }

    private static func brokenSubject(
        _ attributes: [String: Value], _ key: StaticString
    ) -> EventRule? {
        guard let subject = attributes.first(where: { key.equals($0.key) })?.value else {
            return .missingAttribute
        }
        guard case .string(let text) = subject, isText(text, 1...maxSubjectLength) else {
            return .invalidAttribute
        }
        guard let value = attributes["counter.value"], key.equals("counter.name") else {
            return nil
        }
        guard case .integer(let count) = value, (1...1_000_000_000).contains(count) else {
            return .invalidAttribute
        }
        return nil
    }

    /// A line for a developer that says which call it was, as far as that is fit for a log.
    package func line(name: String, attributes: [String: Value]) -> String {
        let call = Self.isName(name) ? "a call of \(name)" : "a call"
        let count = attributes.keys.count { $0 != Event.sessionKey }
        let limit = Self.maxAttributes
        let detail = count > limit ? ": \(count) attributes, at most \(limit)" : ""
        return "\(call) is refused: \(rawValue)\(detail)"
    }

    private static func isValue(_ value: Value) -> Bool {
        switch value {
        case .string(let text): isText(text, 0...1024)
        case .integer(let value): (-maxInteger...maxInteger).contains(value)
        case .double(let value): value.isFinite
        case .boolean: true
        }
    }

    private static func isText(_ text: String, _ lengths: ClosedRange<Int>) -> Bool {
        lengths.contains(text.utf8.count) && !text.utf8.contains(0)
    }

    private static func isName(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count) else { return false }
        var isFirst = true
        var isAfterDot = false
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): isAfterDot = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                guard !isFirst else { return false }
                isAfterDot = false
            case UInt8(ascii: "."):
                guard !isFirst, !isAfterDot else { return false }
                isAfterDot = true
            default: return false
            }
            isFirst = false
        }
        return !isAfterDot
    }
}

extension StaticString {
    /// Whether the bytes are the same.
    func equals(_ text: String) -> Bool {
        guard utf8CodeUnitCount == text.utf8.count else { return false }
        var at = utf8Start
        for byte in text.utf8 {
            guard at.pointee == byte else { return false }
            at += 1
        }
        return true
    }
}
