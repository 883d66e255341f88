import Protobuf

/// Reads an `ExportLogsServiceRequest` in protobuf (opentelemetry-proto 1.11, logs_service.proto, logs.proto): fields
/// that docs/opentelemetry.md does not name are skipped unread.
enum ProtobufLogs {
    private enum Request { static let resourceLogs: UInt32 = 1 }

    private enum ResourceLogs {
        static let resource: UInt32 = 1
        static let scopeLogs: UInt32 = 2
    }

    private enum Resource { static let attributes: UInt32 = 1 }

    private enum ScopeLogs { static let logRecords: UInt32 = 2 }

    private enum LogRecord {
        static let time: UInt32 = 1
        static let attributes: UInt32 = 6
        static let observedTime: UInt32 = 11
        static let eventName: UInt32 = 12
    }

    /// The whole request, or as much of it as the judge may take on.
    static func read(
        _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(MalformedMessage) {
        var request = try FieldReader(0..<bytes.count, depth: 1)
        var index = 0
        while let field = try request.next(bytes, &judge.fields) {
            guard field.number == Request.resourceLogs, field.kind == .bytes else { continue }
            try readResourceLogs(field.range, index, bytes, into: &judge)
            if judge.exceedsSteps { return }
            index += 1
        }
    }

    /// One of its ResourceLogs.
    static func readResourceLogs(
        _ range: Range<Int>, _ index: Int, _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(MalformedMessage) {
        // The resource first, wherever it stands.
        judge.attributes.reset()
        var fields = try FieldReader(range, depth: 2)
        while let field = try fields.next(bytes, &judge.fields) {
            guard field.number == ResourceLogs.resource, field.kind == .bytes else { continue }
            var resource = try FieldReader(field.range, depth: 3)
            while let field = try resource.next(bytes, &judge.fields) {
                guard field.number == Resource.attributes, field.kind == .bytes else { continue }
                try ProtobufValues.readAttribute(
                    field.range, depth: 4, bytes, &judge.fields, into: &judge.attributes)
            }
        }
        judge.beginResource(index)
        var scopes = try FieldReader(range, depth: 2)
        // They were counted above.
        var counted = FieldCount()
        var scope = 0
        while let field = try scopes.next(bytes, &counted) {
            guard field.number == ResourceLogs.scopeLogs, field.kind == .bytes else { continue }
            judge.beginScope()
            var fields = try FieldReader(field.range, depth: 3)
            var record = 0
            while let field = try fields.next(bytes, &judge.fields) {
                guard field.number == ScopeLogs.logRecords, field.kind == .bytes else { continue }
                try readRecord(field.range, bytes, into: &judge)
                judge.endRecord(scope: scope, record: record, bytes)
                record += 1
            }
            scope += 1
        }
        judge.endResource(range)
    }

    @inline(__always)
    private static func readRecord(
        _ range: Range<Int>, _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(MalformedMessage) {
        judge.beginRecord(bytes)
        var fields = try FieldReader(range, depth: 4)
        while let field = try fields.next(bytes, &judge.fields) {
            switch (field.number, field.kind) {
            case (LogRecord.time, .fixed64): judge.record.time = field.bits
            case (LogRecord.observedTime, .fixed64): judge.record.observedTime = field.bits
            case (LogRecord.eventName, .bytes):
                judge.record.name = TextSlot(start: field.start, end: field.end)
            case (LogRecord.attributes, .bytes):
                try ProtobufValues.readAttribute(
                    field.range, depth: 5, bytes, &judge.fields, into: &judge.attributes)
            default: break
            }
        }
    }
}
