/// A request to the logs endpoint, whatever it is encoded in: what docs/opentelemetry.md names of
/// it.
struct Message: Equatable {
    var resources: [ResourceLogs] = []

    /// How many records it has.
    var recordCount: Int { resources.reduce(0) { $0 + $1.recordCount } }

    /// All texts are UTF-8 without U+0000: what the encoder of JSON can say too.
    var isText: Bool {
        attributes.allSatisfy(\.isText)
            && resources.allSatisfy { $0.scopes.joined().allSatisfy(\.name.isText) }
    }

    /// All integers have 64 bits: what protobuf can say too.
    var isNarrow: Bool { attributes.allSatisfy(\.value.isNarrow) }

    private var attributes: [Attribute] {
        resources.flatMap { $0.attributes + $0.scopes.joined().flatMap(\.attributes) }
    }
}

struct ResourceLogs: Equatable {
    var attributes: [Attribute] = []
    /// The records of each ScopeLogs.
    var scopes: [[Record]] = []

    var recordCount: Int { scopes.reduce(0) { $0 + $1.count } }
}

struct Record: Equatable {
    var name: [UInt8] = []
    /// Nanoseconds since 1970; 0 is none.
    var time: UInt64 = 0
    var observedTime: UInt64 = 0
    var attributes: [Attribute] = []
}

/// A `KeyValue`.
struct Attribute: Equatable {
    var key: [UInt8] = []
    var value = AnyValue.empty

    var isText: Bool { key.isText && value.isText }
}

indirect enum AnyValue {
    /// It is there, but has no value.
    case empty
    case string([UInt8])
    case bool(Bool)
    case int(Int64)
    /// An integer beyond 64 bits: its digits.
    case digits(String)
    case double(Double)
    case bytes([UInt8])
    case array([AnyValue])
    case kvlist([Attribute])

    var isText: Bool {
        switch self {
        case .string(let text): text.isText
        case .array(let elements): elements.allSatisfy(\.isText)
        case .kvlist(let members): members.allSatisfy(\.isText)
        case .empty, .bool, .int, .digits, .double, .bytes: true
        }
    }

    var isNarrow: Bool {
        switch self {
        case .digits: false
        case .array(let elements): elements.allSatisfy(\.isNarrow)
        case .kvlist(let members): members.allSatisfy(\.value.isNarrow)
        case .empty, .string, .bool, .int, .double, .bytes: true
        }
    }
}

/// A NaN is itself, a zero with a minus none without.
extension AnyValue: Equatable {
    static func == (left: AnyValue, right: AnyValue) -> Bool {
        switch (left, right) {
        case (.empty, .empty): true
        case (.string(let left), .string(let right)): left == right
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.digits(let left), .digits(let right)): left == right
        case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
        case (.bytes(let left), .bytes(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.kvlist(let left), .kvlist(let right)): left == right
        default: false
        }
    }

    /// It is there, but has no value.
    var isEmpty: Bool {
        if case .empty = self { true } else { false }
    }
}

extension [UInt8] {
    /// UTF-8 without U+0000.
    var isText: Bool { !contains(0) && String(validating: self, as: UTF8.self) != nil }

    init(_ text: String) { self = Array(text.utf8) }
}

extension [Attribute] {
    /// Each key once, with what was sent last, in the order of the keys' bytes.
    var settled: [Attribute] {
        guard count > 1 else { return self }
        var last: [[UInt8]: AnyValue] = [:]
        for attribute in self { last[attribute.key] = attribute.value }
        return last.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .map { Attribute(key: $0.key, value: $0.value) }
    }

    /// What is there of a key; nil where that has no value.
    func value(of key: String) -> AnyValue? {
        first { !$0.value.isEmpty && $0.key.elementsEqual(key.utf8) }?.value
    }
}
