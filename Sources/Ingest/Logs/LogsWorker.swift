import Events
import JSON
import Protobuf

/// From the bytes of a request to the logs endpoint to accepted batches: reads, judges, hashes the devices. One a
/// worker.
final class LogsWorker {
    private var judge: LogJudge
    private var json: JSONLogs
    /// Elements of the request that was read last, as far as it was.
    private(set) var elements = 0

    init(hash: TextHash = .process) {
        judge = LogJudge(hash: hash)
        json = JSONLogs(hash: hash)
    }

    /// One of so many elements may be a resource or a record where a loop judges: it takes as long as they do.
    private static let elementsOfStep = 16

    /// - Parameters:
    ///   - sent: bytes of the body, which count with its first batch
    ///   - limits: where they are provisional, one that takes long is judged by others elsewhere
    /// - Throws: `tooMuchHere` for such a one; `inflatedTooLarge` where its integers written out take it beyond that
    ///   limit; `BatchRule.elements` where it has too many
    func accept(
        _ bytes: Span<UInt8>, _ encoding: LogsEncoding, _ context: JudgeContext,
        app: AccessList.App, _ identity: DeviceIdentity, sent: Int, _ limits: IngestLimits
    ) throws(BatchRefusal) -> AcceptedLogs {
        judge.begin(
            context, of: LogJudge.Sender(app: app, identity: identity),
            maxSteps: limits.isProvisional ? limits.maxElements / Self.elementsOfStep : .max,
            maxDigits: limits.maxInflatedBytes - bytes.count, maxFields: limits.maxElements)
        defer { end() }
        switch encoding {
        case .protobuf:
            defer { elements = judge.fields.total }
            do throws(MalformedMessage) {
                try ProtobufLogs.read(bytes, into: &judge)
            } catch {
                throw error.hasTooManyFields ? limits.tooManyElements : .malformedProtobuf
            }
        case .json:
            defer { elements = json.elements }
            do throws(Malformed) {
                try json.read(bytes, maxElements: limits.maxElements, into: &judge)
            } catch {
                throw error.rule == .elements ? limits.tooManyElements : .malformedLogs
            }
        }
        guard !judge.exceedsSteps else { throw .tooMuchHere }
        guard !judge.exceedsDigits else { throw limits.inflatedTooLarge }
        guard !judge.hasTooMany else { throw .tooManyRecords }
        var accepted = AcceptedLogs(
            batches: [], rest: nil, rejections: judge.rejections,
            refusedResources: judge.resourcesWithoutDevice,
            device: judge.hasOtherDevices ? nil : judge.batches.first?.batch.device,
            isShared: judge.batches.first?.batch.isShared ?? false)
        if judge.isPart {
            accepted.rest = LogsRest(
                bytes, encoding, context, app: app, pieces: judge.pieces, sent: sent)
        } else {
            accepted.batches = judge.batches
            if !accepted.batches.isEmpty { accepted.batches[0].batch.bodyBytes = sent }
        }
        return accepted
    }

    /// Forgets what must not stay in memory.
    private func end() {
        judge.end()
        json.forget()
    }

    /// The next part of a request that was judged before.
    func accept(_ rest: LogsRest, _ identity: DeviceIdentity) -> [LogBatch] {
        judge.begin(rest.context, of: LogJudge.Sender(app: rest.app, identity: identity))
        defer { end() }
        var sent: [(batch: Int, bytes: Int)] = []
        rest.withBytes { bytes in
            while let piece = rest.pieces.first, judge.hasRoom {
                rest.pieces.removeFirst()
                sent.append((judge.batches.count, rest.bytes(of: piece)))
                // It was read before: it is well-formed.
                switch rest.encoding {
                case .protobuf:
                    try? ProtobufLogs.readResourceLogs(
                        piece.range, piece.index, bytes, into: &judge)
                case .json:
                    try? json.readResourceLogs(piece.range, piece.index, bytes, into: &judge)
                }
            }
        }
        var batches = judge.batches
        for (batch, bytes) in sent where bytes > 0 && batch < batches.count {
            batches[batch].batch.bodyBytes = bytes
        }
        return batches
    }
}
