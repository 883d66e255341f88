import Events

/// What has to become of a request, by the letter of docs/opentelemetry.md.
struct PlainRequest {
    /// By ResourceLogs, those without records too.
    let resources: [PlainResource]
    let maxEvents: Int

    init(_ message: Message, maxEvents: Int) {
        resources = message.resources.enumerated().map { PlainResource($1, index: $0) }
        self.maxEvents = maxEvents
    }

    var hasTooMany: Bool {
        let records = resources.reduce(0) { $0 + $1.records.count }
        let scopes = resources.reduce(0) { $0 + $1.scopeCount }
        return max(records, scopes, resources.count) > 10 * maxEvents
    }

    /// The records of each batch, and whose they are.
    var batches: [(resource: PlainResource, records: ArraySlice<PlainRecord>)] {
        resources.filter { $0.device != nil }.flatMap { resource in
            stride(from: 0, to: resource.records.count, by: maxEvents).map { start in
                (resource, resource.records[start...].prefix(maxEvents))
            }
        }
    }

    /// By ResourceLogs without a device: how many records it has.
    var refused: [Int] {
        resources.filter { $0.device == nil && !$0.records.isEmpty }.map(\.records.count)
    }
}

struct PlainResource {
    let index: Int
    /// The raw id; nil without a good one.
    let device: [UInt8]?
    /// In the order of `Resource.members`.
    let texts: [[UInt8]]
    let scopeCount: Int
    let records: [PlainRecord]

    init(_ logs: ResourceLogs, index: Int) {
        self.index = index
        scopeCount = logs.scopes.count
        let attributes = logs.attributes.settled
        func value(_ key: String) -> AnyValue? { attributes.value(of: key) }
        var device: [UInt8]?
        if case .string(let text) = value("app.installation.id") ?? value("device.id"),
            (1...256).contains(text.count), text.isText
        {
            device = text
        }
        self.device = device
        texts = Resource.members.map { member in
            guard let value = value(member) else { return [] }
            if let text = CanonicalText.text(of: value) {
                return text.isText ? CanonicalText.cut(text, to: 128) : []
            }
            switch value {
            case .bool, .int, .double: return CanonicalText.list(value)
            default: return []
            }
        }
        records = logs.scopes.enumerated().flatMap { scope, records in
            records.enumerated().map { PlainRecord($1, scope: scope, index: $0) }
        }
    }
}

struct PlainRecord {
    let scope: Int
    let index: Int
    /// Why it is rejected; nil: it is an event.
    private(set) var code: String?
    private(set) var name: [UInt8] = []
    /// Nanoseconds.
    let time: UInt64
    private(set) var session: [UInt8]?
    /// Keys and values as JSON, `session.id` too, in the order of the keys' bytes.
    private(set) var attributes: [(key: [UInt8], json: [UInt8])] = []

    init(_ record: Record, scope: Int, index: Int) {
        self.scope = scope
        self.index = index
        time = record.time != 0 ? record.time : record.observedTime
        code = judge(record)
    }

    private mutating func judge(_ record: Record) -> String? {
        let all = record.attributes.settled
        func value(_ key: String) -> AnyValue? { all.value(of: key) }
        name = record.name
        if name.isEmpty {
            guard case .string(let text) = value("event.name"), !text.isEmpty else {
                return "not-an-event"
            }
            name = text
        }
        if let event = Self.lifecycle(name, value) { name = Array(event) }
        guard Self.isName(name) else { return "invalid-name" }
        guard time != 0 else { return "invalid-time" }
        let milliseconds = Int64(time / 1_000_000)
        guard Server.times.contains(milliseconds) else { return "time-out-of-range" }
        guard take(all) else { return "invalid-attribute" }
        return Self.broken(name, value)
    }

    private static let unstored: [[UInt8]] = [
        Array("event.name"), Array("app.installation.id"), Array("device.id"),
    ]
    private static let standard = StandardEvent.allCases.map { (name: Array($0.name.utf8), $0) }

    /// Takes the attributes that are stored; false where one is broken.
    private mutating func take(_ all: [Attribute]) -> Bool {
        let unstored = Self.unstored
        let stored = all.filter { !unstored.contains($0.key) && !$0.value.isEmpty }
        guard stored.count <= 32 else { return false }
        for attribute in all where !unstored.contains(attribute.key) {
            guard attribute.key.isText else { return false }
        }
        for attribute in stored {
            guard (1...64).contains(attribute.key.count),
                let json = CanonicalText.value(attribute.value)
            else { return false }
            attributes.append((attribute.key, json))
            guard attribute.key == Array("session.id") else { continue }
            guard let text = CanonicalText.text(of: attribute.value),
                (1...64).contains(text.count)
            else { return false }
            session = text
        }
        return true
    }

    private static func lifecycle(_ name: [UInt8], _ value: (String) -> AnyValue?) -> String? {
        let states = [value("android.app.state"), value("ios.app.state")].compactMap(\.self)
        guard name == Array("device.app.lifecycle"), value("session.id") != nil,
            states.count == 1, case .string(let state) = states[0]
        else { return nil }
        switch String(decoding: state, as: UTF8.self) {
        case "foreground": return "session.resume"
        case "background", "terminate": return "session.end"
        default: return nil
        }
    }

    /// `[a-z][a-z0-9_]*(\.[a-z0-9_]+)*`, at most 64 bytes.
    private static func isName(_ name: [UInt8]) -> Bool {
        guard name.count <= 64, let first = name.first, (0x61...0x7a).contains(first) else {
            return false
        }
        let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty
                && part.allSatisfy {
                    (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5f
                }
        }
    }

    /// Why an event of a name that requires something is rejected.
    private static func broken(_ name: [UInt8], _ value: (String) -> AnyValue?) -> String? {
        guard let known = standard.first(where: { $0.name == name })?.1 else { return nil }
        guard let required = value(known.required.key) else { return "missing-attribute" }
        let optional = known.optional.flatMap { attribute in
            value(attribute.key).map { (attribute, $0) }
        }
        for (attribute, value) in [(known.required, required)] + [optional].compactMap(\.self) {
            switch attribute.form {
            case .text(let length):
                guard let text = CanonicalText.text(of: value), length.contains(text.count) else {
                    return "invalid-attribute"
                }
            case .integer(let range):
                guard case .int(let int) = value, range.contains(int) else {
                    return "invalid-attribute"
                }
            }
        }
        return nil
    }
}
