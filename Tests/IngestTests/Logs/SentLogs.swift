/// A request to the logs endpoint as a test says it: one description, from which its bytes are made
/// by hand in both encodings, so that no library hides an error.
struct SentLogs: Sendable {
    var resources: [SentResource]

    init(_ resources: [SentResource]) { self.resources = resources }

    /// One device's records, in one scope.
    init(_ records: SentRecord...) { resources = [SentResource(scopes: [records])] }

    init(records: [SentRecord]) { resources = [SentResource(scopes: [records])] }
}

/// A ResourceLogs.
struct SentResource: Sendable {
    static let device: SentAttributes = ["app.installation.id": "d-1"]

    /// Of its resource; nil: it has none.
    var attributes: SentAttributes?
    var scopes: [[SentRecord]]
    /// Appended as they are: fields, and members with a comma before each.
    var fields: [UInt8] = []
    var members = ""

    init(_ attributes: SentAttributes? = device, scopes: [[SentRecord]]) {
        self.attributes = attributes
        self.scopes = scopes
    }

    init(_ attributes: SentAttributes?, _ records: SentRecord...) {
        self.init(attributes, scopes: [records])
    }
}

/// A LogRecord.
struct SentRecord: Sendable {
    /// 5 s and some nanoseconds before arrival.
    static let time = UInt64(arrival - 5000) * 1_000_000 + 123_456

    /// `event_name`; bytes, since they may be no text.
    var name: [UInt8]?
    /// Nanoseconds since 1970.
    var time: UInt64?
    var observedTime: UInt64?
    var attributes: SentAttributes
    /// Appended as they are.
    var fields: [UInt8] = []
    var members = ""

    init(
        _ name: String? = "app.tap", time: UInt64? = time, observed: UInt64? = nil,
        _ attributes: SentAttributes = [:]
    ) {
        self.name = name.map { Array($0.utf8) }
        self.time = time
        observedTime = observed
        self.attributes = attributes
    }

    init(_ attributes: SentAttributes) { self.init("app.tap", attributes) }
}

/// A list of KeyValue: a key may stand twice.
struct SentAttributes: Sendable, ExpressibleByDictionaryLiteral {
    var pairs: [(key: SentText, value: SentValue)]

    init(_ pairs: [(key: SentText, value: SentValue)]) { self.pairs = pairs }

    init(dictionaryLiteral elements: (SentText, SentValue)...) {
        pairs = elements.map { (key: $0.0, value: $0.1) }
    }

    /// One attribute.
    init(_ key: String, _ value: SentValue) { pairs = [(SentText(key), value)] }

    static func + (left: SentAttributes, right: SentAttributes) -> SentAttributes {
        SentAttributes(left.pairs + right.pairs)
    }
}

/// A string, or what is none.
struct SentText: Hashable, Sendable, ExpressibleByStringLiteral {
    let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }
    init(bytes: [UInt8]) { self.bytes = bytes }
    init(stringLiteral text: String) { self.init(text) }
}

/// An AnyValue.
indirect enum SentValue: Sendable {
    case text(SentText)
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case bytes([UInt8])
    case list([SentValue])
    case map(SentAttributes)
    /// It is there and has no value.
    case empty
    /// The KeyValue has none.
    case absent
    /// The content of the message, and the JSON of the value.
    case raw([UInt8], String)

    static func text(_ text: String) -> SentValue { .text(SentText(text)) }
}

extension SentValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int64) { self = .int(value) }
    init(floatLiteral value: Double) { self = .double(value) }
    init(arrayLiteral elements: SentValue...) { self = .list(elements) }
    init(dictionaryLiteral elements: (SentText, SentValue)...) {
        self = .map(SentAttributes(elements.map { (key: $0.0, value: $0.1) }))
    }
    init(nilLiteral: ()) { self = .empty }
}
