/// Why one event is rejected, in the order in which rules are reported when several are broken
/// (docs/protocol.md, Events). Rules that share a code differ in what they tell the sender.
package enum EventRule: UInt8, CaseIterable, Comparable, Sendable {
    case shape
    /// A log record without a name.
    case notAnEvent
    case name
    case time
    case timeRange
    case attributes
    // Of the attributes' own rules the first that is met:
    case attributeCount
    case attributeKey
    case attributeNull
    case attributeList
    case attributeObject
    case attributeLength
    case attributeNumber
    /// Of a log record: texts of batches are UTF-8 without U+0000, or the batch is malformed.
    case attributeText
    case session
    case missing
    case requiredType
    case tooManyNames

    /// As on the wire.
    package var code: String {
        switch self {
        case .shape: "invalid-event"
        case .notAnEvent: "not-an-event"
        case .name: "invalid-name"
        case .time: "invalid-time"
        case .timeRange: "time-out-of-range"
        case .attributes, .attributeCount, .attributeKey, .attributeNull, .attributeList,
            .attributeObject, .attributeLength, .attributeNumber, .attributeText, .session,
            .requiredType:
            "invalid-attribute"
        case .missing: "missing-attribute"
        case .tooManyNames: "too-many-names"
        }
    }

    /// One sentence that says what to do and repeats nothing of the body.
    package var detail: String {
        switch self {
        case .shape: "an event must be an object with name and time"
        case .notAnEvent:
            "a record must have event_name or the attribute event.name, or it is a log line and no event"
        case .name:
            "name must be at most \(BatchLimit.eventName) bytes of a-z 0-9 _ in parts joined by dots, a letter first"
        case .time: "time must be an integer"
        case .timeRange: "time must be neither too old nor more than 24 hours ahead of arrival"
        case .attributes: "attributes must be absent or an object"
        case .attributeCount: "attributes must be at most \(BatchLimit.attributes)"
        case .attributeKey:
            "the key of an attribute must have 1 to \(BatchLimit.attributeKey) bytes"
        case .attributeNull: "an attribute must not be null: leave it out"
        case .attributeList: "an attribute must not be a list: send its JSON as a string"
        case .attributeObject:
            "an attribute must not be an object: send its members as attributes, or its JSON as a string"
        case .attributeLength:
            "a string in attributes must have at most \(BatchLimit.attributeText) bytes"
        case .attributeNumber:
            "an integer in attributes must be within 2^53-1 of 0 and any other number finite: "
                + "send it as a string"
        case .attributeText: "keys and strings in attributes must be UTF-8 without U+0000"
        case .session: "session.id must be a string of 1 to \(BatchLimit.sessionID) bytes"
        case .missing: "an event of this name must have the attribute that the protocol requires"
        case .requiredType:
            "the attribute that this event requires must be a string of 1 to "
                + "\(BatchLimit.standardText) bytes, and counter.value an integer from 1 to 10^9"
        case .tooManyNames:
            "use event names and attribute keys that this app has used before: it has no room for so many new ones"
        }
    }

    /// What the table of docs/protocol.md, Events, says of it, in Markdown: what is judged, and the
    /// rule. Nil for those of `attributes`, which have a table of their own, and of log records.
    package var row: (subject: String, rule: String)? {
        switch self {
        case .shape: ("the event", "an object with `name` and `time`")
        case .notAnEvent, .attributeCount, .attributeKey, .attributeNull, .attributeList,
            .attributeObject, .attributeLength, .attributeNumber, .attributeText:
            nil
        case .name:
            (
                "`name`",
                "string of at most \(BatchLimit.eventName) bytes, `[a-z][a-z0-9_]*(\\.[a-z0-9_]+)*`"
            )
        case .time: ("`time`", "an integer")
        case .timeRange:
            (
                "",
                "within ±(2^53−1), and after clock correction neither older than 400 days (or than what "
                    + "the operator has pruned) nor more "
                    + "than \(BatchLimit.eventLead / 3_600_000) h ahead of arrival"
            )
        case .attributes: ("`attributes`", "absent, or an object as below")
        case .session:
            (
                "`session.id` among them, if given",
                "string of 1–\(BatchLimit.sessionID) bytes"
            )
        case .missing: ("attributes that the event's name requires", "there")
        case .requiredType: ("", "of the type in the table of names")
        case .tooManyNames:
            (
                "`name` and the keys of `attributes`",
                "not more new ones than the app has left ([Names](#names))"
            )
        }
    }

    package static func < (left: EventRule, right: EventRule) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The codes, each once, in the order of the rules.
    package static let codes: [String] = {
        var seen: [String] = []
        for rule in allCases where !seen.contains(rule.code) { seen.append(rule.code) }
        return seen
    }()
}

/// What the name of an event may be (docs/protocol.md, Events).
package enum EventName {
    /// Whether the bytes are `[a-z][a-z0-9_]*(\.[a-z0-9_]+)*` and not too many.
    package static func isValid(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= BatchLimit.eventName, let first = bytes.isEmpty ? nil : bytes[0],
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        else { return false }
        var afterDot = false
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                afterDot = false
            case UInt8(ascii: ".") where !afterDot: afterDot = true
            default: return false
            }
        }
        return !afterDot
    }
}

/// One event that was not taken, as the answer tells it (docs/protocol.md, The answer).
package struct Rejection: Hashable, Sendable {
    /// Its index in the batch's `events`, from 0.
    package var index: Int
    /// The first rule it broke.
    package var rule: EventRule

    package init(index: Int, rule: EventRule) {
        self.index = index
        self.rule = rule
    }

    /// How many of them an answer names; the others are only counted.
    package static let maxReported = 20
}

/// How many events of a batch were not taken for one code, and which was the first.
package struct RejectionCount: Hashable, Sendable {
    /// As on the wire, `EventRule.code`.
    package var code: String
    package var count: Int
    /// The index of the first in the batch's `events`, from 0.
    package var firstIndex: Int

    package init(code: String, count: Int, firstIndex: Int) {
        self.code = code
        self.count = count
        self.firstIndex = firstIndex
    }
}
