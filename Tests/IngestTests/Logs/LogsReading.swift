import Events
import JSON
import Sealing
import TestSupport
import Testing

@testable import Ingest

/// Judges requests to the logs endpoint as the service does.
enum Logs {
    static let app = AccessList.App(id: 7, name: "shop", allowsPlain: true)
    private static let token = "sj_token"
    static let access = AccessList(
        apps: [app], keys: [],
        tokens: [
            Hashing.sha256(Array(token.utf8).span): .init(
                id: 1, scope: .ingest, app: 7, isRevoked: false)
        ])

    static func worker(maxEvents: Int = 100) -> IngestWorker {
        IngestWorker(
            limits: IngestLimits(
                maxInflatedBytes: 1 << 26, maxBatchEvents: maxEvents,
                maxEventAge: 400 * 86_400_000),
            pepper: Array("key".utf8))
    }

    static func accept(
        _ bytes: [UInt8], _ encoding: LogsEncoding, by worker: IngestWorker = worker()
    ) throws -> AcceptedLogs {
        let admission = try Admission(
            logs: BodyFormat(logs: encoding, codings: []), authorization: "Bearer " + token,
            access: access)
        let verdict = try worker.accept(bytes.span, admission, arrival: arrival, access: access)
        guard case .logs(let logs) = verdict else { throw NoLogs() }
        return logs
    }

    struct NoLogs: Error {}

    /// Why a request is refused; nil if it is not.
    static func refusal(
        _ bytes: [UInt8], _ encoding: LogsEncoding, by worker: IngestWorker = worker()
    ) -> BatchRefusal? {
        do {
            _ = try accept(bytes, encoding, by: worker)
            return nil
        } catch {
            return error as? BatchRefusal
        }
    }

    /// A request as protobuf; in every style of JSON it has to be the same.
    static func accept(_ sent: SentLogs, by worker: IngestWorker = worker()) throws -> AcceptedLogs
    {
        let protobuf = try accept(sent.protobuf, .protobuf, by: worker)
        for style in JSONStyle.allCases {
            let json = try accept(sent.json(style), .json, by: worker)
            #expect(forms(of: json) == forms(of: protobuf), "\(style)")
            #expect(json.rejected == protobuf.rejected, "\(style)")
            #expect(json.refusedResources == protobuf.refusedResources, "\(style)")
            #expect(json.device == protobuf.device && json.isShared == protobuf.isShared)
        }
        return protobuf
    }

    static func forms(of logs: AcceptedLogs) -> [BatchForm] { logs.batches.map(BatchForm.init) }

    /// The events of one device's records, in both encodings.
    static func events(_ records: SentRecord...) throws -> [StoredEvent] {
        try accept(SentLogs(records: records)).events
    }

    /// The attributes of a record with these.
    static func attributes(_ attributes: SentAttributes) throws -> [String: String]? {
        try events(SentRecord(attributes)).first?.attributes
    }

    /// The code with which a record is rejected; nil if it is not.
    static func code(_ record: SentRecord) throws -> String? {
        let logs = try accept(SentLogs(record))
        #expect(logs.events.count + logs.rejections.count == 1)
        return logs.rejections.entries.first?.code
    }

    /// The same of a record that no JSON can say.
    static func protobufCode(_ record: SentRecord) throws -> String? {
        let logs = try accept(SentLogs(record).protobuf, .protobuf)
        #expect(logs.events.count + logs.rejections.count == 1)
        return logs.rejections.entries.first?.code
    }

    /// The resource of one record with these attributes.
    static func resource(_ attributes: SentAttributes) throws -> Resource? {
        let sent = SentLogs([SentResource(attributes + SentResource.device, SentRecord())])
        return try accept(sent).batches.first?.batch.resource
    }
}

/// All of a batch that does not depend on how it was encoded.
struct BatchForm: Hashable {
    let id: String
    let app: Int64
    let device: DeviceHash
    let isShared: Bool
    let resource: Resource
    let receivedAt: Int64
    let clockShift: Int64
    let profile: Profile
    let others: [Int64?]
    let rejections: [Rejection]
    let counts: [RejectionCount]
    let names: [String]
    let sessions: [UInt8]?
    let keys: [String]
    let events: [AcceptedEvent]
    let text: [UInt8]
    let fingerprints: [Fingerprint]

    init(_ logs: LogBatch) { self.init(logs.batch) }

    init(_ batch: AcceptedBatch) {
        (id, app, device, isShared) = (batch.batchID, batch.app, batch.device, batch.isShared)
        (resource, receivedAt, clockShift) = (batch.resource, batch.receivedAt, batch.clockShift)
        profile = batch.profile
        others = [batch.key, batch.sequence, batch.droppedEvents, Int64(batch.rejected)]
        (rejections, counts) = (batch.rejections, batch.rejectionCounts)
        (names, sessions, keys) = (batch.names, batch.sessionsJSON, batch.attributeKeys)
        (events, text, fingerprints) = (batch.events, batch.text, batch.fingerprints)
    }
}

/// An event as it is stored, its indexes resolved.
struct StoredEvent: Hashable {
    let index: Int
    let name: String
    let time: Int64
    let session: String?
    /// JSON of values by key.
    let attributes: [String: String]
}

extension AcceptedLogs {
    var events: [StoredEvent] { batches.flatMap(\.batch.stored) }
    /// `CODE×COUNT@R/S/L`, in order.
    var rejected: [String] {
        rejections.entries.map { "\($0.code)×\($0.count)@\($0.first)" }
    }
}

extension AcceptedBatch {
    var stored: [StoredEvent] {
        let sessions = sessionsJSON.map(elements) ?? []
        return events.map { event in
            let range = Int(event.attributes.lowerBound)..<Int(event.attributes.upperBound)
            let parts = elements(Array("[".utf8) + text[range] + Array("]".utf8))
            var attributes: [String: String] = [:]
            for at in stride(from: 0, to: parts.count - 1, by: 2) {
                guard let key = Int(parts[at]), attributeKeys.indices.contains(key) else {
                    continue
                }
                attributes[attributeKeys[key]] = parts[at + 1]
            }
            let session =
                event.session < 0 ? nil : sessions[Int(event.session)].dropFirst().dropLast()
            return StoredEvent(
                index: Int(event.index), name: names[Int(event.name)], time: event.time,
                session: session.map(String.init), attributes: attributes)
        }
    }

    /// The elements of a JSON array, as JSON.
    private func elements(_ json: [UInt8]) -> [String] {
        var scanner = Scanner()
        var out: [String] = []
        do throws(Malformed) {
            try scanner.reset(json.span)
            _ = try scanner.value(json.span)
            while try scanner.element(json.span) {
                let start = scanner.position
                try scanner.skipValue(json.span)
                out.append(String(decoding: json[start..<scanner.position], as: UTF8.self))
            }
            try scanner.finish(json.span)
        } catch {
            Issue.record("\(String(decoding: json, as: UTF8.self)) is no array")
        }
        return out
    }
}
