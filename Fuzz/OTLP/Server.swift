import Events
import FuzzSupport
import Ingest
import Sealing

/// The server's own way with a request to the logs endpoint, from its bytes to batches.
enum Server {
    static let arrival: Int64 = 1_763_700_000_000
    static let maxEventAge: Int64 = 400 * 86_400_000
    /// When an event may have been, milliseconds.
    static let times = (arrival - maxEventAge)...(arrival + 86_400_000)
    /// What `max-batch-events` may be: the small ones let a request be cut, or be too large.
    static let maxEvents = [5000, 2, 7, 1]
    static let app = AccessList.App(id: 1, name: "shop", allowsPlain: true)

    private static let pepper = [UInt8](repeating: 7, count: 32)
    private static let token = "sj_token"
    static let access = AccessList(
        apps: [app], keys: [],
        tokens: [
            Hashing.sha256(Array(token.utf8).span): .init(
                id: 1, scope: .ingest, app: 1, isRevoked: false)
        ])
    private static let admissions: [LogsEncoding: Admission] = {
        var out: [LogsEncoding: Admission] = [:]
        for encoding in LogsEncoding.allCases {
            guard let format = try? BodyFormat(logs: encoding, codings: []) else { continue }
            out[encoding] = try? Admission(
                logs: format, authorization: "Bearer " + token, access: access)
        }
        return out
    }()

    /// Used for every input, as a thread does: one for each of `maxEvents`.
    nonisolated(unsafe) private static let workers = maxEvents.map(worker)
    nonisolated(unsafe) private static let identity = DeviceIdentity(pepper: pepper)

    private static func worker(_ maxEvents: Int) -> IngestWorker {
        IngestWorker(
            limits: IngestLimits(
                maxInflatedBytes: 1 << 20, maxBatchEvents: maxEvents, maxEventAge: maxEventAge),
            pepper: pepper)
    }

    static func device(_ raw: [UInt8]) -> DeviceHash { identity.hash(of: raw.span, app: app.name) }

    /// What becomes of a request.
    /// - Parameters:
    ///   - limit: an index in `maxEvents`
    ///   - isNew: the worker has seen no other
    static func accept(
        _ bytes: [UInt8], _ encoding: LogsEncoding, limit: Int, isNew: Bool = false
    ) -> Outcome {
        guard let admission = admissions[encoding] else {
            expect(false, "no admission")
            return .refused(.forbidden)
        }
        let worker = isNew ? worker(maxEvents[limit]) : workers[limit]
        let verdict: Verdict
        do throws(BatchRefusal) {
            verdict = try worker.accept(bytes.span, admission, arrival: arrival, access: access)
        } catch {
            return .refused(error)
        }
        guard case .logs(let logs) = verdict else {
            expect(false, "judged as something else")
            return .refused(.forbidden)
        }
        guard let rest = logs.rest else {
            return .taken(
                Taken(
                    logs: logs, elements: worker.elements, batches: logs.batches,
                    parts: [logs.batches.count]))
        }
        return .taken(large(logs, rest, worker, size: bytes.count))
    }

    /// A large request's parts, which come in the order of devices; put in that of the request.
    private static func large(
        _ logs: AcceptedLogs, _ rest: LogsRest, _ worker: IngestWorker, size: Int
    ) -> Taken {
        expect(logs.batches.isEmpty && !rest.isEmpty, "a part of it is there already")
        expect(rest.memory <= 64 * size + 64, "\(rest.memory) bytes are left")
        let elements = worker.elements
        var batches: [LogBatch] = []
        var parts: [Int] = []
        while !rest.isEmpty {
            let more = worker.acceptMore(of: rest)
            expect(!more.isEmpty, "a part without batches")
            parts.append(more.count)
            batches += more
        }
        let devices = batches.map(\.batch.device)
        expect(devices.adjacent.allSatisfy { $0 <= $1 }, "devices in another order")
        let order = batches.enumerated().sorted {
            ($0.element.places.place(of: 0), $0.offset)
                < ($1.element.places.place(of: 0), $1.offset)
        }
        return Taken(
            logs: logs, elements: elements, batches: order.map(\.element), parts: parts)
    }
}

enum Outcome {
    case refused(BatchRefusal)
    case taken(Taken)
}

struct Taken {
    let logs: AcceptedLogs
    /// Fields, or values and names, of the request.
    let elements: Int
    /// Those of the whole request, in its order.
    let batches: [LogBatch]
    /// How many were made at once.
    let parts: [Int]
}

/// All that a batch says, so that two can be compared; texts as their bytes.
struct BatchForm: Equatable {
    private let batchID: String
    private let device: DeviceHash
    private let isShared: Bool
    private let resource: Resource
    private let rejected: Int
    private let rejections: [Rejection]
    private let rejectionCounts: [RejectionCount]
    private let names: [[UInt8]]
    private let sessions: [UInt8]?
    private let keys: [[UInt8]]
    private let events: [AcceptedEvent]
    private let text: [UInt8]
    private let fingerprints: [Fingerprint]
    /// Left out where batches of different requests are compared.
    private let places: [RecordPlace]

    init(_ batch: LogBatch, hasPlaces: Bool = true) {
        let accepted = batch.batch
        batchID = accepted.batchID
        device = accepted.device
        isShared = accepted.isShared
        resource = accepted.resource
        rejected = accepted.rejected
        rejections = accepted.rejections
        rejectionCounts = accepted.rejectionCounts
        names = accepted.names.map { Array($0.utf8) }
        sessions = accepted.sessionsJSON
        keys = accepted.attributeKeys.map { Array($0.utf8) }
        events = accepted.events
        text = accepted.text
        fingerprints = accepted.fingerprints
        places =
            hasPlaces
            ? (0..<accepted.events.count + accepted.rejected).map(batch.places.place) : []
    }
}

extension LogRejections {
    /// All that an answer is made of.
    var form: [String] {
        entries.map { "\($0.count) \($0.code), first at \($0.first): \($0.detail)" }
    }
}

extension Array {
    /// Each with the next.
    fileprivate var adjacent: Zip2Sequence<Self, ArraySlice<Element>> { zip(self, dropFirst()) }
}
