import Compression
import Events
import Sealing

/// Turns bodies into batches: opens, inflates, scans and judges. One a thread: it owns its ciphers,
/// inflater and buffers and shares nothing, so batches go through side by side.
package final class IngestWorker {
    private let limits: IngestLimits
    private let opener = BodyUnsealer()
    private let inflater = Inflater()
    private var judge = BatchJudge()
    private let logs = LogsWorker()
    private let identity: DeviceIdentity
    /// Overwritten after each body.
    private(set) var opened: [UInt8] = []
    private(set) var inflated: [UInt8] = []
    /// Bytes of JSON of the body that was accepted or refused last; as many as it may have where it has
    /// more, and as may have come of a damaged stream; 0 where it was not opened.
    package private(set) var inflatedBytes = 0
    /// JSON values and members' names of that body, or protobuf fields, as far as it was read.
    package private(set) var elements = 0
    /// Whether that body was sealed by who has the symmetric key that it or its path names.
    package private(set) var hasProvenKey = false

    /// - Parameter pepper: the secret under which device ids are hashed
    package init(limits: IngestLimits, pepper: [UInt8]) {
        self.limits = limits
        identity = DeviceIdentity(pepper: pepper)
    }

    /// - Parameters:
    ///   - body: as it was sent
    ///   - arrival: when its first byte came, milliseconds since 1970-01-01T00:00:00Z
    package func accept(
        _ body: Span<UInt8>, _ admission: Admission, arrival: Int64, access: AccessList
    ) throws(BatchRefusal) -> Verdict {
        inflatedBytes = 0
        elements = 0
        hasProvenKey = false
        let format = admission.format
        guard format.profile != .plain, format.profile != .otlp else {
            return try accept(
                packed: body, isGzipped: format.isGzipped, admission, key: nil, arrival: arrival,
                sent: body.count)
        }
        let (key, content) = try open(body, admission, access)
        if format.profile == .legacy, content.count == 0 { return .empty }
        // The buffer leaves the worker while it is read: what reads it writes to the others.
        var buffer = opened
        opened = []
        defer {
            // Padding follows the content.
            buffer.overwrite(first: body.count)
            opened = buffer
        }
        guard !content.isDeflated else {
            let count = try inflate { inflater, room throws(InflateError) in
                try inflater.inflateRaw(
                    buffer.span.extracting(0..<content.count), limit: limits.maxInflatedBytes,
                    into: &room)
            }
            return try acceptInflated(
                count, key: key, admission, arrival: arrival, sent: body.count)
        }
        return try accept(
            packed: buffer.span.extracting(0..<content.count), isGzipped: format.isGzipped,
            admission,
            key: key, arrival: arrival, sent: body.count)
    }

    /// The row id of the key that a body itself names, before it is opened; nil where the head of its
    /// request has proved enough already.
    package func key(
        of body: Span<UInt8>, _ admission: Admission, access: AccessList
    ) throws(BatchRefusal) -> Int64? {
        guard admission.format.profile == .aes128gcm else { return nil }
        return try opener.key(codedInto: body, admission, access).id
    }

    /// Judges the first bytes of a body that has not come whole, as far as they name its key.
    /// - Returns: how many of them that takes, if it is more than are here; nil if the key is good, or
    ///   named elsewhere
    package func judge(
        opening: Span<UInt8>, _ admission: Admission, access: AccessList
    ) throws(BatchRefusal) -> Int? {
        guard admission.format.profile == .aes128gcm else { return nil }
        let needed = ContentCoding.headerBytes(of: opening)
        guard needed <= opening.count else { return needed }
        _ = try opener.key(codedInto: opening, admission, access)
        return nil
    }

    /// Whether a body takes longer to open than its length tells, so that it had better not hold up
    /// others.
    package func takesLongToOpen(_ body: Span<UInt8>, _ admission: Admission) -> Bool {
        opener.takesLongToOpen(body, admission.format)
    }

    /// Overwrites what it has opened of a body that fails in the middle.
    private func open(
        _ body: Span<UInt8>, _ admission: Admission, _ access: AccessList
    ) throws(BatchRefusal) -> (key: AccessList.Key, content: BodyUnsealer.Content) {
        defer { hasProvenKey = opener.hasProvenKey }
        do throws(BatchRefusal) {
            return try opener.open(body, admission, access, into: &opened)
        } catch {
            opened.overwrite(first: body.count)
            throw error
        }
    }

    private func accept(
        packed: Span<UInt8>, isGzipped: Bool, _ admission: Admission, key: AccessList.Key?,
        arrival: Int64, sent: Int
    ) throws(BatchRefusal) -> Verdict {
        guard isGzipped else {
            inflatedBytes = min(packed.count, limits.maxInflatedBytes)
            guard packed.count <= limits.maxInflatedBytes else { throw limits.inflatedTooLarge }
            return try judged(packed, admission, key: key, arrival: arrival, sent: sent)
        }
        // A wrong claim is found by the worker that judges the body in the end.
        if limits.isProvisional,
            let claimed = Inflater.claimedBytes(of: packed), claimed > limits.maxInflatedBytes
        {
            throw .tooMuchHere
        }
        let count = try inflate { inflater, room throws(InflateError) in
            try inflater.gunzip(packed, limit: limits.maxInflatedBytes, into: &room)
        }
        return try acceptInflated(count, key: key, admission, arrival: arrival, sent: sent)
    }

    private func inflate(
        _ work: (Inflater, inout [UInt8]) throws(InflateError) -> Int
    ) throws(BatchRefusal) -> Int {
        do throws(InflateError) {
            return try work(inflater, &inflated)
        } catch {
            inflated.overwrite()
            inflatedBytes = inflater.inflatedBytes
            guard error == .tooLarge else { throw .undecodable }
            inflatedBytes = limits.maxInflatedBytes
            throw limits.inflatedTooLarge
        }
    }

    private func acceptInflated(
        _ count: Int, key: AccessList.Key?, _ admission: Admission, arrival: Int64, sent: Int
    ) throws(BatchRefusal) -> Verdict {
        inflatedBytes = count
        var buffer = inflated
        inflated = []
        defer {
            buffer.overwrite(first: count)
            inflated = buffer
        }
        return try judged(
            buffer.span.extracting(0..<count), admission, key: key, arrival: arrival, sent: sent)
    }

    private func judged(
        _ text: Span<UInt8>, _ admission: Admission, key: AccessList.Key?, arrival: Int64, sent: Int
    ) throws(BatchRefusal) -> Verdict {
        if let encoding = admission.format.logs {
            defer { elements = logs.elements }
            return .logs(
                try logs.accept(
                    text, encoding, context(of: admission, arrival), app: admission.app,
                    identity, sent: sent, limits))
        }
        let app = admission.app
        var batch: JudgedBatch
        do throws(BatchRule) {
            defer { elements = judge.elements }
            batch = try judge.judge(
                text, context(of: admission, arrival))
        } catch {
            throw error == .elements ? limits.tooManyElements : .rule(error)
        }
        var rawDeviceID: [UInt8] = []
        swap(&rawDeviceID, &batch.rawDeviceID)
        defer { rawDeviceID.overwrite() }
        let isShared = SharedIdentity.isShared(rawDeviceID, model: batch.resource.deviceModel)
        let batchID = batch.batchID ?? "sha256:" + Hashing.sha256(text).hex
        return .accepted(
            batch.accepted(
                app: app.id, device: identity.hash(of: rawDeviceID.span, app: app.name),
                isShared: isShared, batchID: batchID, receivedAt: arrival,
                profile: admission.format.profile, key: key?.id, bodyBytes: sent))
    }

    private func context(of admission: Admission, _ arrival: Int64) -> JudgeContext {
        JudgeContext(
            profile: admission.format.profile, arrival: arrival,
            maxEvents: limits.maxBatchEvents, maxElements: limits.maxElements,
            maxEventAge: limits.maxEventAge, floor: limits.floor.moment(at: arrival))
    }

    /// Judges the next part of a request of which only the first was judged.
    package func acceptMore(of rest: LogsRest) -> [LogBatch] { logs.accept(rest, identity) }
}

/// What a worker makes of a body.
package enum Verdict: Sendable {
    /// To be stored; its own `rejections` say which events are not. In memory of its own, since it is handed
    /// on from room to room.
    indirect case accepted(AcceptedBatch)
    /// A legacy body of zero bytes: 200, and nothing to store.
    case empty
    /// A request to the logs endpoint.
    case logs(AcceptedLogs)
}
