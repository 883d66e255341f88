import TestSupport

/// As `application/x-protobuf` (opentelemetry-proto 1.11).
extension SentLogs {
    var protobuf: [UInt8] { resources.flatMap { Wire.bytes(1, $0.protobuf) } }
}

extension SentResource {
    /// The content of a ResourceLogs.
    var protobuf: [UInt8] {
        let resource = attributes.map { Wire.bytes(1, $0.protobuf(field: 1)) } ?? []
        return resource
            + scopes.flatMap {
                Wire.bytes(2, SentResource.scope + $0.flatMap { Wire.bytes(2, $0.protobuf) })
            }
            + fields
    }

    /// An InstrumentationScope, which is ignored.
    private static let scope = Wire.bytes(1, Wire.text(1, "lib"))
}

extension SentRecord {
    /// The content of a LogRecord.
    var protobuf: [UInt8] {
        var bytes: [UInt8] = []
        if let time { bytes += Wire.fixed64(1, time) }
        if let observedTime { bytes += Wire.fixed64(11, observedTime) }
        if let name { bytes += Wire.bytes(12, name) }
        return bytes + attributes.protobuf(field: 6) + fields
    }
}

extension SentAttributes {
    func protobuf(field: UInt64) -> [UInt8] {
        pairs.flatMap { Wire.bytes(field, SentAttributes.protobuf($0.key, $0.value)) }
    }

    private static func protobuf(_ key: SentText, _ value: SentValue) -> [UInt8] {
        if case .absent = value { return Wire.bytes(1, key.bytes) }
        return Wire.bytes(1, key.bytes) + Wire.bytes(2, value.protobuf)
    }
}

extension SentValue {
    /// The content of an AnyValue.
    var protobuf: [UInt8] {
        switch self {
        case .text(let text): Wire.bytes(1, text.bytes)
        case .bool(let value): Wire.number(2, value ? 1 : 0)
        case .int(let value): Wire.number(3, UInt64(bitPattern: value))
        case .double(let value): Wire.fixed64(4, value.bitPattern)
        case .list(let values): Wire.bytes(5, values.flatMap { Wire.bytes(1, $0.protobuf) })
        case .map(let attributes): Wire.bytes(6, attributes.protobuf(field: 1))
        case .bytes(let bytes): Wire.bytes(7, bytes)
        case .empty, .absent: []
        case .raw(let bytes, _): bytes
        }
    }
}
