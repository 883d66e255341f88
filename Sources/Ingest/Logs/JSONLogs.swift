import JSON

/// Reads an `ExportLogsServiceRequest` in JSON (the protobuf JSON mapping, as OTLP/HTTP has it): members that
/// docs/opentelemetry.md does not name are passed over, `null` is absent.
struct JSONLogs: ~Copyable {
    /// How deep objects and arrays may lie.
    static let maxDepth = 200

    private var scanner: Scanner
    /// For a resource's records where they stand before it.
    private var second: Scanner
    private var values: JSONValues
    private let requestNames: Interner
    private let resourceLogsNames: Interner
    private let resourceNames: Interner
    private let scopeLogsNames: Interner
    private let recordNames: Interner

    private enum ResourceLogs {
        static let resource = 0
        static let scopeLogs = 1
    }

    private enum LogRecord {
        static let time = 0
        static let observedTime = 1
        static let eventName = 2
        static let attributes = 3
    }

    init(hash: TextHash) {
        // One bad text is not the request's but its record's.
        scanner = Scanner(hash: hash, escapes: .units, depthLimit: Self.maxDepth)
        second = Scanner(hash: hash, escapes: .units, depthLimit: Self.maxDepth)
        values = JSONValues(hash: hash)
        requestNames = Interner(hash: hash, fixed: ["resourceLogs"])
        resourceLogsNames = Interner(hash: hash, fixed: ["resource", "scopeLogs"])
        resourceNames = Interner(hash: hash, fixed: ["attributes"])
        scopeLogsNames = Interner(hash: hash, fixed: ["logRecords"])
        recordNames = Interner(
            hash: hash,
            fixed: ["timeUnixNano", "observedTimeUnixNano", "eventName", "attributes"])
    }

    /// The values and members' names of the request that was read last, as far as it was.
    var elements: Int { scanner.elements }

    /// The whole request, or as much of it as the judge may take on.
    /// - Parameter maxElements: how many values and members' names it may have
    mutating func read(
        _ bytes: Span<UInt8>, maxElements: Int, into judge: inout LogJudge
    ) throws(Malformed) {
        try scanner.reset(bytes, maxElements: maxElements)
        guard try scanner.value(bytes).kind == .object else { throw scanner.wrongForm }
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            guard values.index(of: name, in: requestNames, bytes) == 0,
                try scanner.isArray(token)
            else {
                try scanner.skipRest(of: token, bytes)
                continue
            }
            var index = 0
            while try scanner.element(bytes) {
                try readResourceLogs(index, bytes, into: &judge)
                if judge.exceedsSteps { return }
                index += 1
            }
        }
        try scanner.finish(bytes)
    }

    /// Overwrites what was made of the request.
    mutating func forget() { values.forget() }

    /// One of its ResourceLogs, which was read before.
    mutating func readResourceLogs(
        _ range: Range<Int>, _ index: Int, _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(Malformed) {
        let part = bytes.extracting(range)
        try scanner.reset(part)
        try readResourceLogs(index, part, into: &judge)
    }

    private mutating func readResourceLogs(
        _ index: Int, _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(Malformed) {
        judge.attributes.reset()
        let token = try scanner.value(bytes)
        guard token.kind == .object else { throw scanner.wrongForm }
        var hasResource = false
        var later: Int?
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch values.index(of: name, in: resourceLogsNames, bytes) {
            case ResourceLogs.resource where token.kind != .null:
                guard token.kind == .object else { throw scanner.wrongForm }
                try readResource(bytes, into: &judge)
                judge.beginResource(index)
                hasResource = true
            case ResourceLogs.scopeLogs where token.kind != .null:
                guard token.kind == .array else { throw scanner.wrongForm }
                if hasResource {
                    try Self.readScopes(
                        &scanner, &values, scopeLogsNames, recordNames, bytes, into: &judge)
                } else {
                    try scanner.skipRest(of: token, bytes)
                    later = token.start
                }
            default: try scanner.skipRest(of: token, bytes)
            }
        }
        if !hasResource { judge.beginResource(index) }
        if let later {
            try second.reset(bytes, from: later)
            _ = try second.value(bytes)
            try Self.readScopes(
                &second, &values, scopeLogsNames, recordNames, bytes, into: &judge)
        }
        judge.endResource(token.start..<scanner.position)
    }

    private mutating func readResource(
        _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(Malformed) {
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            if values.index(of: name, in: resourceNames, bytes) == 0,
                try scanner.isArray(token)
            {
                try values.readAttributes(&scanner, bytes, into: &judge.attributes)
            } else {
                try scanner.skipRest(of: token, bytes)
            }
        }
    }

    private static func readScopes(
        _ scanner: inout Scanner, _ values: inout JSONValues, _ names: borrowing Interner,
        _ recordNames: borrowing Interner, _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(Malformed) {
        var scope = 0
        while try scanner.element(bytes) {
            judge.beginScope()
            guard try scanner.value(bytes).kind == .object else { throw scanner.wrongForm }
            while let name = try scanner.member(bytes) {
                let token = try scanner.value(bytes)
                guard values.index(of: name, in: names, bytes) == 0, try scanner.isArray(token)
                else {
                    try scanner.skipRest(of: token, bytes)
                    continue
                }
                var record = 0
                while try scanner.element(bytes) {
                    try readRecord(&scanner, &values, recordNames, bytes, into: &judge)
                    judge.endRecord(scope: scope, record: record, bytes)
                    record += 1
                }
            }
            scope += 1
        }
    }

    private static func readRecord(
        _ scanner: inout Scanner, _ values: inout JSONValues, _ names: borrowing Interner,
        _ bytes: Span<UInt8>, into judge: inout LogJudge
    ) throws(Malformed) {
        judge.beginRecord(bytes)
        guard try scanner.value(bytes).kind == .object else { throw scanner.wrongForm }
        while let name = try scanner.member(bytes) {
            let token = try scanner.value(bytes)
            switch values.index(of: name, in: names, bytes) {
            case 0... where token.kind == .null: break
            case LogRecord.time:
                judge.record.time = try values.unsigned(token, bytes, at: scanner)
            case LogRecord.observedTime:
                judge.record.observedTime = try values.unsigned(token, bytes, at: scanner)
            case LogRecord.eventName:
                guard let text = token.text else { throw scanner.wrongForm }
                judge.record.name = values.slot(of: text, bytes, in: &judge.attributes)
            case LogRecord.attributes:
                guard token.kind == .array else { throw scanner.wrongForm }
                try values.readAttributes(&scanner, bytes, into: &judge.attributes)
            default: try scanner.skipRest(of: token, bytes)
            }
        }
    }
}

extension Scanner {
    /// A member has a value of another form than it may have.
    var wrongForm: Malformed { Malformed(offset: position, rule: .syntax) }

    /// Whether a member is there, as the array that it has to be.
    fileprivate func isArray(_ token: Token) throws(Malformed) -> Bool {
        if token.kind == .null { return false }
        guard token.kind == .array else { throw wrongForm }
        return true
    }
}
